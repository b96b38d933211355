package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/goshmem/goshmem/internal/jobtest"
)

// TestTorchrunEnvironment starts two processes as torchrun does: its store holds
// MASTER_PORT, so the PEs must find each other elsewhere.
func TestTorchrunEnvironment(t *testing.T) {
	store, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	program := jobtest.Build(t, ".")
	outputs := make(chan string, 2)
	for rank := range 2 {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(),
			fmt.Sprintf("RANK=%d", rank), "WORLD_SIZE=2",
			fmt.Sprintf("LOCAL_RANK=%d", rank), "LOCAL_WORLD_SIZE=2",
			"GROUP_RANK=0", "GROUP_WORLD_SIZE=1", "ROLE_RANK=0", "ROLE_NAME=default", "ROLE_WORLD_SIZE=2",
			"MASTER_ADDR=127.0.0.1", fmt.Sprintf("MASTER_PORT=%d", store.Addr().(*net.TCPAddr).Port),
			"TORCHELASTIC_RUN_ID=none", "TORCHELASTIC_RESTART_COUNT=0", "TORCHELASTIC_MAX_RESTARTS=0",
			"TORCHELASTIC_USE_AGENT_STORE=True", "TORCH_NCCL_ASYNC_ERROR_HANDLING=1", "OMP_NUM_THREADS=1",
			"GOSHMEM_TIMEOUT=60s")
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				out = fmt.Appendf(out, "%v\n", err)
			}
			outputs <- string(out)
		}()
	}
	got := map[string]bool{<-outputs: true, <-outputs: true}
	for _, want := range []string{"got 0 from PE 0\n", "got 1 from PE 1\n"} {
		if !got[want] {
			t.Errorf("no process wrote %q; they wrote %v", want, got)
		}
	}
}
