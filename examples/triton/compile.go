package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/goshmem/goshmem/gpu"
	"github.com/goshmem/goshmem/shmem"
)

// scripts are the kernels and what compiles them.
//
//go:embed compile.py kernels.py ops.py
var scripts embed.FS

// compiled has PE 0 compile the kernels with Iris's device functions, for the device that all
// PEs have, while the others wait.
func compiled(ctx context.Context, w *shmem.World, d *gpu.Device, o orders) error {
	var err error
	if w.MyPE() == 0 {
		err = compile(ctx, d, o)
	}
	if err != nil {
		return err // the others learn it in the barrier
	}
	return w.Barrier(ctx)
}

// compile compiles for a device.
func compile(ctx context.Context, d *gpu.Device, o orders) error {
	if d.Platform() == "host" {
		return fmt.Errorf("%v runs no machine code: -iris needs a GPU", d)
	}
	about, err := d.Properties()
	if err != nil {
		return err
	}
	target := "hip:" + about.Arch
	if n, nvidia := strings.CutPrefix(about.Arch, "sm_"); nvidia {
		target = "cuda:" + n
	}
	return script(ctx, o, target)
}

// script runs compile.py, which comes with this program, for targets.
func script(ctx context.Context, o orders, targets ...string) error {
	folder, err := os.MkdirTemp("", "triton-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) // at worst it stays in the folder for temporary files
	if err := os.CopyFS(folder, scripts); err != nil {
		return err
	}
	args := []string{filepath.Join(folder, "compile.py"), "--out", o.kernels}
	for _, target := range targets {
		args = append(args, "--target", target)
	}
	if o.iris != "" {
		args = append(args, "--iris", o.iris)
	}
	for _, op := range o.without {
		args = append(args, "--without", op)
	}
	var said bytes.Buffer
	c := exec.CommandContext(ctx, o.python, args...)
	c.Stdout, c.Stderr = os.Stdout, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", o.python, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return nil
}
