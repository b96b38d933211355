package triton

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/device"
)

// ptx reads the parameters of a kernel as text.
func ptx(file string, image []byte, name string) (code, error) {
	text := string(image)
	c := code{backend: "cuda", text: true}
	m := regexp.MustCompile(`(?m)^\s*\.target\s+(sm_\w+)`).FindStringSubmatch(text)
	if m == nil {
		return c, wrong(file, device.ErrArgument, "there is no .target in it: it is not PTX")
	}
	c.arch = m[1]
	m = regexp.MustCompile(`\.entry\s+` + regexp.QuoteMeta(name) + `\s*\(([^)]*)\)([^{]*)\{`).FindStringSubmatch(text)
	if m == nil {
		return c, wrong(file, device.ErrArgument, "there is no kernel %q in it", name)
	}
	if list := strings.TrimSpace(m[1]); list != "" {
		for _, line := range strings.Split(list, ",") {
			p, ok := declared(strings.Fields(line))
			if !ok {
				return c, wrong(file, device.ErrUnsupported, "a parameter that is neither an address nor a number: %q", strings.TrimSpace(line))
			}
			c.params = append(c.params, p)
		}
	}
	if block := regexp.MustCompile(`\.reqntid\s+(\d+)`).FindStringSubmatch(m[2]); block != nil {
		c.block, _ = strconv.Atoi(block[1]) // digits
	}
	return c, nil
}

// declared reads the words of a parameter: .param .u64 .ptr .global .align 1 name. Old
// compilers leave out .ptr: 64 bits without it may be anything.
func declared(words []string) (p Param, ok bool) {
	if len(words) < 3 || words[0] != ".param" || strings.Contains(words[len(words)-1], "[") {
		return p, false
	}
	bits, err := strconv.Atoi(strings.TrimLeft(words[1], ".busf"))
	if err != nil || bits < 8 || bits > 64 {
		return p, false
	}
	p.Size = uintptr(bits / 8)
	if bits < 64 || words[1] == ".f64" {
		p.Kind = Number
	}
	if slices.Contains(words, ".ptr") {
		p.Kind = Address
	}
	return p, true
}
