package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// process is one of our two.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	where string // the line that says so
}

// ours takes a sample with two processes: nanoseconds of an operation.
func ours(ctx context.Context, worker []string, c Case) (ns float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, sampleLimit)
	defer cancel()
	var two [2]*process
	for i := range two {
		if two[i], err = start(ctx, worker, c, i == 0); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, two[i].end()) }()
	}
	for i, p := range two {
		if _, err := io.WriteString(p.in, two[1-i].where); err != nil {
			return 0, err
		}
	}
	text, err := two[0].out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("read a figure: %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(text), 64)
}

// start starts one, and reads where it is.
func start(ctx context.Context, worker []string, c Case, drives bool) (*process, error) {
	order, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	args := append(worker[1:len(worker):len(worker)], string(order), strconv.FormatBool(drives))
	p := &process{cmd: exec.CommandContext(ctx, worker[0], args...)}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), c.environment()...), os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start a process of ours: %w", err)
	}
	p.out = bufio.NewReader(out)
	if p.where, err = p.out.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("a process of ours does not say where it is: %w", err), p.end())
	}
	return p, nil
}

// end closes its input, which ends it.
func (p *process) end() error {
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		return fmt.Errorf("a process of ours: %w", err)
	}
	return nil
}
