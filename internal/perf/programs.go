package perf

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/launch/launcher"
)

//go:embed programs/hello/main.go
var helloSource []byte

const firstPackage = "github.com/goshmem/goshmem/internal/perf/programs/first"

// programs are the two that are launched: a PE that passes the first barrier, and
// a Go program that only says hello. Both are built before anything is measured,
// and with the same compiler, so that what differs is what a PE does. Where that
// cannot be (no go command, or not inside the module) this program stands in,
// which is larger and starts more slowly.
type programs struct {
	first, hello []string
	note         string
}

func buildPrograms(ctx context.Context, dir string, self []string) (programs, error) {
	p := programs{
		first: slices.Concat(self, []string{workFirst}),
		hello: slices.Concat(self, []string{workHello}),
	}
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, helloSource, 0o600); err != nil {
		return p, err
	}
	hello, err := launcher.Build(ctx, dir, source)
	if err != nil {
		p.note = "this program stands in for both that are launched: " + oneLine(err)
		return p, ctx.Err()
	}
	p.hello = []string{hello}
	first, err := launcher.Build(ctx, dir, firstPackage)
	if err != nil {
		p.note = "this program, which is larger, stands in for a PE that is launched: " + oneLine(err)
		return p, ctx.Err()
	}
	p.first = []string{first}
	return p, nil
}

// oneLine makes an error fit into a table.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
