package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/engine/host"
	"github.com/goshmem/goshmem/internal/engine/ipc"
)

// TestRows measures a little over devices of the host, and has it in a table.
func TestRows(t *testing.T) {
	small := plan{half: 64 << 10, largest: 4 << 10, repeats: 3}
	heaps, err := ipc.Engine{Control: host.Engine{}, Driver: "host"}.OpenLocal(2, engine.Config{HeapSize: small.heap(), Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var all sync.WaitGroup
	for _, h := range heaps {
		all.Go(func() {
			d := h.(engine.Devised).Device()
			m, err := newMeter(t.Context(), h, d, &out, small)
			if err == nil {
				err = m.all()
			}
			if err != nil {
				t.Errorf("PE %d: %v", h.Rank(), err)
			}
			for _, err := range []error{m.close(), d.Close(), h.Close()} {
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	found := map[string]map[string][]sample{}
	rows, err := collect(out.Bytes(), "ipc", found, nil)
	if err != nil || len(rows) != 17 || rows[0] != "put 8 B" || len(found["graph of 10 puts and a barrier"]["ipc"]) != 1 {
		t.Errorf("%q, %v", rows, err)
	}
	var text strings.Builder
	if err := table(&text, []contender{{name: "ipc"}, {name: "C"}}, rows[:1], found); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text.String(), "| row | ipc us | enqueue us | C us | enqueue us |\n|---|---|---|---|---|\n| put 8 B | ") || !strings.HasSuffix(text.String(), " | | |\n") {
		t.Errorf("%s", text.String())
	}
	if _, err := collect([]byte("what is this\n"), "C", found, nil); err == nil || !strings.Contains(err.Error(), `C writes "what is this"`) {
		t.Errorf("%v", err)
	}
}
