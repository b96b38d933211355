// Package python runs an interpreter of Python inside a test, without cgo, so that the
// memory of both is one: NumPy and PyTorch can then take what we export, and we what
// they do. It needs a shared libpython and NumPy.
package python

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/goshmem/goshmem/internal/dl"
	"github.com/goshmem/goshmem/internal/skip"
)

//go:embed serve.py
var serve string

// Interpreter is the one interpreter of the process, which stays until the process ends,
// as a test uses it.
type Interpreter struct {
	run, ensure, release uintptr // functions of libpython
	reply                []byte  // what Python answers
}

// Start starts the interpreter, unless a test before has; a test that finds no Python
// with NumPy and a shared library is skipped.
func Start(t testing.TB) *Interpreter {
	t.Helper()
	at, why := find()
	if at == nil {
		skip.Now(t, skip.NoPython, why)
	}
	t.Setenv("PYTHONHOME", at.Home)
	t.Setenv("PYTHONPATH", strings.Join(at.Path, ":"))
	l, _, err := dl.Open(at.spec())
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) uintptr {
		addr, err := l.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return addr
	}
	p := &Interpreter{run: call("PyRun_SimpleString"), ensure: call("PyGILState_Ensure"), release: call("PyGILState_Release")}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if dl.Status(dl.Call(call("Py_IsInitialized"))) == 0 {
		dl.Call(call("Py_InitializeEx"), 0) // 0: signals are Go's
		dl.Call(call("PyEval_SaveThread"))  // any thread may enter
	}
	scratch := dl.Borrow()
	t.Cleanup(scratch.Return)
	p.reply = dl.OutSlice[byte](scratch, dl.ScratchSize)
	p.simple(t, serve)
	return p
}

// simple runs code in module __main__.
func (p *Interpreter) simple(t testing.TB, code string) {
	t.Helper()
	text, done := dl.PinText(code)
	defer done()
	runtime.LockOSThread() // Python knows threads by their local memory
	defer runtime.UnlockOSThread()
	state := dl.Call(p.ensure)
	status := dl.Status(dl.Call(p.run, text))
	dl.Call(p.release, state)
	if status != 0 {
		t.Fatal("the interpreter failed; it has written why to standard error")
	}
}

// Run runs code, with names that code before it has set, and fails the test with
// Python's traceback if it raises. What the code has assigned to the name answer comes
// back as JSON.
func (p *Interpreter) Run(t testing.TB, code string) string {
	t.Helper()
	text, done := dl.PinText(code)
	defer done()
	p.simple(t, fmt.Sprintf("_serve(%d, %d, %d)", text, dl.Addr(&p.reply[0]), len(p.reply)))
	status, answer, _ := strings.Cut(dl.Text(dl.Addr(&p.reply[0]), len(p.reply)), " ")
	if status != "ok" {
		t.Fatalf("%s\n%s", code, answer)
	}
	return answer
}

// Ask is Run that stores the answer into v.
func (p *Interpreter) Ask(t testing.TB, v any, code string) {
	t.Helper()
	text := p.Run(t, code)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// Torch says whether PyTorch is there, and whether it can use GPUs.
func (p *Interpreter) Torch(t testing.TB) (there, gpus bool) {
	t.Helper()
	var answer [2]bool
	p.Ask(t, &answer, `
try:
    import torch
    answer = [True, torch.cuda.is_available()]
except ImportError:
    answer = [False, False]
`)
	return answer[0], answer[1]
}
