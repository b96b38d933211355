package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/goshmem/goshmem/bench"
)

// perftest is their program.
const perftest = "ucx_perftest"

// find looks for it, and says of which version it is.
func find(ctx context.Context) (string, error) {
	if _, err := exec.LookPath(perftest); err != nil {
		return "", fmt.Errorf("%w: apt-get install ucx-utils (%w)", bench.ErrMissing, err)
	}
	out, err := exec.CommandContext(ctx, "ucx_info", "-v").Output()
	if err != nil {
		return "", fmt.Errorf("ucx_info -v: %w", err)
	}
	line, _, _ := strings.Cut(string(out), "\n") // # Version 1.13.1, or # Library version: 1.20.0
	return line[strings.LastIndexByte(line, ' ')+1:], nil
}

// sampleLimit ends a sample that does not come back.
const sampleLimit = 60 * time.Second

// theirs takes a sample with a server and a client: nanoseconds of an operation.
func theirs(ctx context.Context, c Case) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, sampleLimit)
	defer cancel()
	port, err := freePort()
	if err != nil {
		return 0, err
	}
	args := []string{"-t", c.Op, "-s", strconv.Itoa(c.Size), "-n", strconv.Itoa(c.N), "-w", strconv.Itoa(max(c.N/10, 1)), "-p", port, "-f"}
	server := exec.CommandContext(ctx, perftest, args...)
	client := exec.CommandContext(ctx, perftest, append([]string{"127.0.0.1"}, args...)...)
	server.Env = append(os.Environ(), c.environment()...)
	client.Env = server.Env
	if err := server.Start(); err != nil {
		return 0, fmt.Errorf("start %s: %w", perftest, err)
	}
	defer func() {
		_ = server.Process.Kill() // it ends with its client, as a rule
		_ = server.Wait()         // nobody asks how
	}()
	if err := listens(ctx, port); err != nil {
		return 0, err
	}
	out, err := client.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", perftest, err, out)
	}
	return figure(string(out), c.single())
}

// freePort is a port that nobody listens at.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a port: %w", err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// listens waits until somebody does, which the kernel's table says: a connection would be
// taken for the client.
func listens(ctx context.Context, port string) error {
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	want := fmt.Sprintf(":%04X ", number)
	for ctx.Err() == nil {
		for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
			text, err := os.ReadFile(table)
			if err != nil {
				continue // there may be no IPv6
			}
			for line := range strings.Lines(string(text)) {
				if fields := strings.Fields(line); len(fields) > 3 && strings.HasSuffix(fields[1]+" ", want) && fields[3] == "0A" {
					return nil
				}
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return fmt.Errorf("%s does not listen at port %s", perftest, port)
}

// figure reads the last line of numbers: operations, and the median, mean and overall
// mean of their times in microseconds.
func figure(out string, single bool) (float64, error) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			continue
		}
		if _, err := strconv.Atoi(fields[0]); err != nil {
			continue
		}
		at := 3
		if single {
			at = 1
		}
		us, err := strconv.ParseFloat(fields[at], 64)
		return us * 1000, err
	}
	return 0, fmt.Errorf("%s wrote no figures: %s", perftest, out)
}
