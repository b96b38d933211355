package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/goshmem/goshmem/internal/doctor"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/launch/launcher"
)

// cleanOptions are the flags of `goshmem doctor clean`.
type cleanOptions struct {
	yes    bool
	places []string
}

func cleanCommand() *cobra.Command {
	var o cleanOptions
	c := &cobra.Command{
		Use:   "clean",
		Short: "Delete what jobs of other libraries have left and nobody uses",
		Long: `List what jobs of Open MPI, MPICH, NCCL, NVSHMEM, UCX, libfabric and PyTorch have
left in /dev/shm and the temporary folders and no process uses, and delete it if
you agree. Only files of this user are deleted, no symbolic link is followed, and
before each file the doctor looks again whether anybody uses it. In a container
nothing is deleted: processes outside of it, which may use the files, cannot be
seen. Processes of other containers are seen from the host.

Without a terminal and without --yes nothing is deleted. The exit status is 0 if
nothing is left that could be deleted, 3 if nothing was deleted although there was
something, 1 if deleting failed.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c) },
	}
	c.Flags().BoolVar(&o.yes, "yes", false, "delete without asking")
	c.Flags().StringArrayVar(&o.places, "in", doctor.Places(), "look only in this folder (may be repeated)")
	return c
}

func (o cleanOptions) run(c *cobra.Command) error {
	if job, err := launch.Detect(os.Environ()); err == nil && job.Size > 1 {
		return usage(c, fmt.Errorf("this is rank %d of %d: clean outside of a job", job.Rank, job.Size))
	}
	if runtime.GOOS != "linux" {
		return errors.New("who uses a file is known on Linux only: nothing is deleted")
	}
	places, err := o.where(c.Flags().Changed("in"))
	if err != nil {
		return err
	}
	cleaner := doctor.Cleaner{Root: "/", Places: places, UID: os.Getuid(), Confined: doctor.Confined("/")}
	unused, kept := cleaner.List()
	out := c.OutOrStdout()
	for _, l := range kept {
		fmt.Fprintf(out, "kept: %v\n", l)
	}
	if len(unused) == 0 {
		fmt.Fprintln(out, "nothing to delete")
		return nil
	}
	var size int64
	for _, l := range unused {
		fmt.Fprintf(out, "%10s  %v\n", info.Size(l.Size), l)
		size += l.Size
	}
	if !o.yes {
		question := fmt.Sprintf("delete the %d that are not kept (%s)? [y/N] ", len(unused), info.Size(size))
		if err := agree(c.InOrStdin(), out, question); err != nil {
			return &launcher.Error{Code: statusWarning, Err: err}
		}
	}
	return deleteAll(out, cleaner, unused)
}

// where returns the folders to look in, by their full paths. One that was asked for
// must be there: silence about a mistyped name would mean that nothing is left.
func (o cleanOptions) where(asked bool) ([]string, error) {
	if !asked {
		return o.places, nil
	}
	var places []string
	for _, place := range o.places {
		full, err := filepath.Abs(place)
		if err != nil {
			return nil, fmt.Errorf("look in %s: %w", place, err)
		}
		i, err := os.Stat(full)
		if err != nil {
			return nil, fmt.Errorf("look in %s: %w", place, err)
		}
		if !i.IsDir() {
			return nil, fmt.Errorf("look in %s: it is no folder", place)
		}
		places = append(places, full)
	}
	return places, nil
}

// agree asks the person at the terminal.
func agree(in io.Reader, out io.Writer, question string) error {
	if !terminal(in) {
		return errors.New("nothing was deleted: there is no terminal to ask at (--yes agrees beforehand)")
	}
	fmt.Fprint(out, question)
	answer, err := bufio.NewReader(in).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	if err != nil {
		fmt.Fprintln(out)
		return fmt.Errorf("nothing was deleted: no answer (%w)", err)
	}
	return errors.New("nothing was deleted")
}

// terminal says whether somebody can answer: a file that is no device has nobody
// behind it. Readers of tests have.
func terminal(in io.Reader) bool {
	f, isFile := in.(*os.File)
	if !isFile {
		return true
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeCharDevice != 0
}

// deleteAll goes on after a failure, and returns all of them.
func deleteAll(out io.Writer, cleaner doctor.Cleaner, list []doctor.Leftover) error {
	var failed []string
	for _, l := range list {
		if err := cleaner.Remove(l); err != nil {
			failed = append(failed, err.Error())
			continue
		}
		fmt.Fprintf(out, "deleted %s\n", l.Path)
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; "))
	}
	return nil
}
