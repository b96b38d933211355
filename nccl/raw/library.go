package raw

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/ccl"
	"github.com/goshmem/goshmem/internal/dl"
)

// Library is a loaded NCCL or RCCL. It stays loaded until the process ends. Its methods may
// be called from any goroutine, where the library's own rules allow it.
type Library struct {
	lib     *dl.Library
	name    string
	version int
	fn      [abi.NCCLCalls]uintptr // 0: this version lacks it
	names   [abi.NCCLCalls]string
	since   [abi.NCCLCalls]string

	texts   sync.Mutex
	forever map[string]uintptr // texts that the library goes on reading
	page    *dl.Scratch        // where they are, never returned
	room    int                // left on it
}

// Open loads a library. Its name is "nccl" or "rccl". The search is: path, or the variable
// NCCL_LIBRARY, and then nothing else; a copy that is in the process already; the system
// loader; what CUDA_HOME and CUDA_PATH, or ROCM_PATH, ROCM_HOME and HIP_PATH name; the
// folders of Python packages. Errors say all that was tried. A second copy of NCCL or RCCL
// in the process is refused: each has a state of its own, and its functions the names of
// the other's.
func Open(name, path string) (*Library, error) {
	spec, err := find(name)
	if err != nil {
		return nil, err
	}
	if path != "" {
		spec.Path = path
	}
	if err := alone(spec); err != nil {
		return nil, err
	}
	lib, _, err := dl.Open(spec)
	if err != nil {
		return nil, err
	}
	if list := copies(); len(list) > 1 {
		return nil, second(list)
	}
	return bind(lib, name)
}

func find(name string) (dl.Spec, error) {
	switch name {
	case "nccl":
		return abi.NCCL(), nil
	case "rccl":
		return abi.RCCL(), nil
	}
	return dl.Spec{}, fmt.Errorf("no library is called %q: there are nccl and rccl", name)
}

// copies are the files of NCCL and RCCL that are in the process.
func copies() []string {
	return dl.Mapped("libnccl.so", "librccl.so")
}

// alone refuses to load another file than the one that is there already.
func alone(spec dl.Spec) error {
	list := copies()
	if len(list) > 1 {
		return second(list)
	}
	wanted, asked := spec.Asked()
	if len(list) == 1 && asked && wanted != list[0] {
		return second(append(list, wanted))
	}
	return nil
}

func second(list []string) error {
	return fmt.Errorf("%w: one copy of NCCL or RCCL is in this process and another would be beside it: %s; use one of them for all (NCCL_LIBRARY)",
		ErrUnsupported, strings.Join(list, ", "))
}

// bind finds the functions. Of several names the first one that there is counts.
func bind(lib *dl.Library, name string) (*Library, error) {
	l := &Library{lib: lib, name: name, forever: map[string]uintptr{}}
	for _, b := range abi.NCCLBindings() {
		l.names[b.Call], l.since[b.Call] = b.Names[0], b.Since
		for _, name := range b.Names {
			if addr, err := lib.Lookup(name); err == nil {
				l.fn[b.Call], l.names[b.Call] = addr, name
				break
			}
		}
	}
	version, err := l.GetVersion()
	if err != nil {
		return nil, err
	}
	l.version = version
	return l, nil
}

// Name is "nccl" or "rccl", as which it was opened.
func (l *Library) Name() string { return l.name }

// Path is the file that was loaded, links resolved.
func (l *Library) Path() string { return l.lib.Path() }

// Tried is what the search looked at, and what came of it, for a person.
func (l *Library) Tried() string { return l.lib.Report().String() }

// Has says whether the loaded version has a function, by its C name.
func (l *Library) Has(function string) bool {
	i := slices.Index(l.names[:], function)
	return i >= 0 && l.fn[i] != 0
}

// Need is nil if the loaded version has a function, else the error of calling it.
func (l *Library) Need(function string) error {
	i := slices.Index(l.names[:], function)
	switch {
	case i < 0:
		return ccl.Unsupported(function, "no function of NCCL or RCCL is called so")
	case l.fn[i] == 0:
		return l.lacks(abi.NCCLCall(i))
	}
	return nil
}

// lacks is the error of a function that is not there.
func (l *Library) lacks(c abi.NCCLCall) error {
	what := strings.ToUpper(l.name) + " " + abi.NCCLVersion(l.version)
	since := "only RCCL has it"
	switch {
	case l.since[c] != "":
		since = "it came with NCCL " + l.since[c]
	case l.name == "rccl":
		since = "newer ones have it"
	}
	return ccl.Unsupported(l.names[c], "%s (%s) has no such function: %s", what, l.Path(), since)
}

// do calls a function that returns a result.
func (l *Library) do(c abi.NCCLCall, args ...uintptr) error {
	fn := l.fn[c]
	if fn == 0 {
		return l.lacks(c)
	}
	return l.result(c, dl.Call(fn, args...))
}

// void calls a function that returns nothing.
func (l *Library) void(c abi.NCCLCall, args ...uintptr) error {
	if l.fn[c] == 0 {
		return l.lacks(c)
	}
	dl.Call(l.fn[c], args...)
	l.lib.Done(l.names[c])
	return nil
}

// result turns what a function returned into an error. What has done its work is evidence.
func (l *Library) result(c abi.NCCLCall, word uintptr) error {
	code := Result(dl.Status(word))
	if code == Success || code == InProgress {
		l.lib.Done(l.names[c])
	}
	return l.Failure(l.names[c], code)
}

// word calls a function that stores a word of up to 8 bytes where its last argument says.
func (l *Library) word(c abi.NCCLCall, args ...uintptr) (uint64, error) {
	s := dl.Borrow()
	defer s.Return()
	out := dl.Out[uint64](s)
	var all [6]uintptr
	n := copy(all[:], args)
	all[n] = dl.Addr(out)
	err := l.do(c, all[:n+1]...)
	return *out, err
}

// thread runs a call whose outcome belongs to the thread.
func thread[T any](call func() (T, error)) (T, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return call()
}

// keep gives the address of a text that the library goes on reading: it is kept for ever,
// once however often it is used. It has at most 16 KiB. "" has none.
func (l *Library) keep(text string) uintptr {
	if text == "" {
		return 0
	}
	l.texts.Lock()
	defer l.texts.Unlock()
	addr, known := l.forever[text]
	if !known {
		if need := len(text) + 16; need > l.room {
			l.page, l.room = dl.Borrow(), dl.ScratchSize
		}
		l.room -= len(text) + 16
		addr = l.page.Text(text)
		l.forever[text] = addr
	}
	return addr
}

// word32 is an int of C's in a word.
func word32[T ~int | ~int32 | ~int8](v T) uintptr { return uintptr(uint32(int32(v))) }

// Failure is the error of a result that a function has told of, such as the state of a
// communicator; nil for Success.
func (l *Library) Failure(function string, code Result) error {
	switch code {
	case Success:
		return nil
	case InProgress:
		return ErrInProgress
	}
	return &Error{Call: function, Code: code, Text: l.GetErrorString(code), Last: l.GetLastError(0)}
}
