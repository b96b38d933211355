package abi

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/nvshmem"
)

// layout adds the size of a struct, and where fields are, by their C names.
func layout(list map[string]int, name string, v any, fields map[string]string) {
	t := reflect.TypeOf(v)
	list["sizeof("+name+")"] = int(t.Size())
	for ours, theirs := range fields {
		f, _ := t.FieldByName(ours)
		list["offsetof("+name+", "+theirs+")"] = int(f.Offset)
	}
}

// The golden file is what the headers of 3.4.5 say.
func TestNumbersOfNVSHMEM(t *testing.T) {
	text, err := os.ReadFile("testdata/nvshmem.golden")
	if err != nil {
		t.Fatal(err)
	}
	ours := constants(t, "nvshmem/nvshmem.go")
	ours["sizeof(nvshmem_team_t)"] = int(reflect.TypeFor[int32]().Size())
	layout(ours, "nvshmemx_uniqueid_t", nvshmem.UniqueID{}, map[string]string{"Internal": "internal"})
	layout(ours, "nvshmemx_uniqueid_args_t", nvshmem.UniqueIDArgs{}, map[string]string{"ID": "id", "MyRank": "myrank", "NRanks": "nranks"})
	layout(ours, "nvshmemx_init_args_t", nvshmem.InitArgs{}, map[string]string{"UIDArgs": "uid_args", "Content": "content"})
	layout(ours, "nvshmemx_init_attr_t", nvshmem.InitAttr{}, map[string]string{"MPIComm": "mpi_comm", "Args": "args"})
	compare(t, ours, numbers(t, string(text)))
}

// The words are version 1 and the size of the struct that they stand at the start of.
func TestVersionWordsOfNVSHMEM(t *testing.T) {
	var a nvshmem.InitAttr
	a.Prepare()
	for _, c := range []struct {
		word int32
		of   any
	}{{a.Version, a}, {a.Args.Version, a.Args}, {a.Args.UIDArgs.Version, a.Args.UIDArgs}, {nvshmem.NVSHMEMX_UNIQUEID_V1, nvshmem.UniqueID{}}} {
		if want := 1<<16 + int32(reflect.TypeOf(c.of).Size()); c.word != want {
			t.Errorf("%T begins with %#x, want %#x", c.of, c.word, want)
		}
	}
}

// Every function of our table but those of later releases is in the list of what the
// library of 3.4.5 exports, and the required ones are as many as were settled.
func TestSymbolsOfNVSHMEM(t *testing.T) {
	text, err := os.ReadFile("testdata/nvshmem-3.4.5.symbols")
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for name := range strings.FieldsSeq(string(text)) {
		exported[name] = true
	}
	required := 0
	for _, s := range NVSHMEM().Symbols {
		if exported[s.Name] == (s.Since == "3.5") {
			t.Errorf("%s: since %q, exported by 3.4.5: %v", s.Name, s.Since, exported[s.Name])
		}
		if s.Required {
			required++
		}
	}
	if reductions := len(nvshmem.Reductions()); required != 28 || reductions != 2*(8*7+4*4) {
		t.Errorf("%d required functions and %d reductions", required, reductions)
	}
}
