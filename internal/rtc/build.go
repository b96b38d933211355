package rtc

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/dl"
)

// maxText is where a status in words is cut off.
const maxText = 256

// maxArgs keeps the options and headers of one compilation within a Scratch.
const maxArgs = 500

// call calls a function by its name without the library's prefix.
func (c *compiler) call(name string, args ...uintptr) error {
	function := c.kind.String() + name
	fn, err := c.library.Lookup(function)
	if err != nil {
		return err
	}
	status := dl.Status(dl.Call(fn, args...))
	if status == 0 {
		c.library.Done(function)
		return nil
	}
	e := &Error{Compiler: c.kind.String(), Call: function, Status: int(status)}
	if c.major > 0 {
		e.Compiler = c.version()
	}
	if words, err := c.library.Lookup(c.kind.String() + "GetErrorString"); err == nil {
		e.Text = dl.Text(dl.Call(words, uintptr(status)), maxText)
		c.library.Done(c.kind.String() + "GetErrorString")
	}
	return e
}

// pins is memory that C reads during a compilation.
type pins []func()

func (p *pins) release() {
	for _, f := range *p {
		f()
	}
}

// texts gives the address of an array of the addresses of list; 0 if it is empty.
func (p *pins) texts(s *dl.Scratch, list []string) uintptr {
	if len(list) == 0 {
		return 0
	}
	table := dl.OutSlice[uintptr](s, len(list))
	for i, text := range list {
		table[i] = p.text(text)
	}
	return dl.Addr(&table[0])
}

func (p *pins) text(text string) uintptr {
	addr, release := dl.PinText(text)
	*p = append(*p, release)
	return addr
}

// compile has src compiled, whether or not it is in the cache.
func (c *compiler) compile(src Source, to goal) (image []byte, log string, err error) {
	if len(src.Options)+2*len(src.Headers) > maxArgs {
		return nil, "", errors.New("too many headers and options for one compilation: join the headers")
	}
	s := dl.Borrow()
	defer s.Return()
	var p pins
	defer p.release()
	program := dl.Out[uintptr](s)
	names := slices.Sorted(maps.Keys(src.Headers))
	contents := make([]string, len(names))
	for i, name := range names {
		contents[i] = src.Headers[name]
	}
	err = c.call("CreateProgram", dl.Addr(program), p.text(src.Text), p.text(src.Name),
		uintptr(len(names)), p.texts(s, contents), p.texts(s, names))
	if err != nil {
		return nil, "", about(err, src, "")
	}
	defer func() { err = errors.Join(err, c.call("DestroyProgram", dl.Addr(program))) }()
	options := append([]string{to.option}, src.Options...)
	failed := c.call("CompileProgram", *program, uintptr(len(options)), p.texts(s, options))
	text, err := c.take(*program, "ProgramLog")
	log = strings.TrimRight(string(text), "\x00\n ")
	if err = errors.Join(failed, err); err != nil {
		return nil, log, about(err, src, log)
	}
	image, err = c.take(*program, to.code)
	return image, log, about(err, src, log)
}

// take fetches what the library has under that name: a size, then so many bytes.
func (c *compiler) take(program uintptr, name string) ([]byte, error) {
	s := dl.Borrow()
	defer s.Return()
	size := dl.Out[uintptr](s)
	if err := c.call("Get"+name+"Size", program, dl.Addr(size)); err != nil || *size == 0 {
		return nil, err
	}
	data := make([]byte, *size)
	addr, release := dl.Pin(data)
	defer release()
	return data, c.call("Get"+name, program, addr)
}

// about tells an error of the library which source it is about.
func about(err error, src Source, log string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Source, e.Arch, e.Log = src.Name, src.Arch, log
		return e
	}
	return err
}
