package abi

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goshmem/goshmem/internal/abi/ucx"
	"github.com/goshmem/goshmem/internal/skip"
)

// ourUCX lists what package ucx says, by what C calls it.
func ourUCX(t *testing.T) map[string]int {
	t.Helper()
	list := constants(t, "ucx/ucx.go")
	list["sizeof(ucs_status_t)"] = 1
	for size, name := range map[uint64]string{1: "ucp_dt_make_contig(1)", 4: "ucp_dt_make_contig(4)", 8: "ucp_dt_make_contig(8)"} {
		list[name] = int(ucx.Contig(size))
	}
	layout(list, "ucp_params_t", ucx.Params{}, map[string]string{"Features": "features", "MTWorkersShared": "mt_workers_shared", "EstimatedNumEPs": "estimated_num_eps"})
	layout(list, "ucp_worker_params_t", ucx.WorkerParams{}, map[string]string{"ThreadMode": "thread_mode", "Events": "events", "Flags": "flags"})
	layout(list, "ucp_ep_params_t", ucx.EPParams{}, map[string]string{"Address": "address", "ErrMode": "err_mode", "ErrHandler": "err_handler"})
	layout(list, "ucp_err_handler_t", ucx.ErrHandler{}, map[string]string{"Arg": "arg"})
	layout(list, "ucp_mem_map_params_t", ucx.MemMapParams{}, map[string]string{"Address": "address", "Length": "length", "Flags": "flags", "MemoryType": "memory_type"})
	layout(list, "ucp_mem_attr_t", ucx.MemAttr{}, map[string]string{"Address": "address", "Length": "length"})
	layout(list, "ucp_request_param_t", ucx.RequestParam{}, map[string]string{"Flags": "flags", "Datatype": "datatype", "ReplyBuffer": "reply_buffer", "MemoryType": "memory_type"})
	layout(list, "ucp_tag_recv_info_t", ucx.TagRecvInfo{}, map[string]string{"Length": "length"})
	return list
}

// The golden file is what the headers of 1.13.1 say.
func TestNumbersOfUCX(t *testing.T) {
	text, err := os.ReadFile("testdata/ucx.golden")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, ourUCX(t), numbers(t, string(text)))
}

// What the headers of this machine say, whichever version they are.
func TestNumbersOfUCXHere(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		skip.Now(t, skip.NoCC, "no cc in PATH")
	}
	if _, err := os.Stat("/usr/include/ucp/api/ucp.h"); errors.Is(err, fs.ErrNotExist) {
		skip.Now(t, skip.NoVendor, "no ucp/api/ucp.h in /usr/include: Debian's package is libucx-dev")
	}
	program := filepath.Join(t.TempDir(), "numbers")
	if text, err := exec.Command(cc, "-w", "-o", program, "testdata/ucx.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, ourUCX(t), numbers(t, string(text)))
}
