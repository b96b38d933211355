package perf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

var errCrash = errors.New("crashed")

// job is a job that says what is in the script, one text for each line that it gets,
// and ends with err.
func job(err error, script ...string) func(context.Context, string) error {
	return func(_ context.Context, socket string) error {
		conn, failed := net.Dial("unix", socket)
		if failed != nil {
			return failed
		}
		defer conn.Close() // the test looks at what was said
		in := bufio.NewScanner(conn)
		for i, text := range script {
			if i > 0 && !in.Scan() {
				return errors.New("nothing more was said")
			}
			text = strings.ReplaceAll(text, "<line>", in.Text())
			if _, failed := fmt.Fprint(conn, text); failed != nil {
				return failed
			}
		}
		return err
	}
}

func TestRemote(t *testing.T) {
	r, err := hire(t.Context(), "a job", t.TempDir(), 2, job(errCrash, "ready 2 it is well\n", "123000\n", "error cannot <line>\n", "bye\n"))
	if err != nil || r.said != "it is well" {
		t.Fatal(r, err)
	}
	o := Order{Op: OpPut, Size: 8, Area: 16, Every: 3}
	if d, err := r.side(o)(77); d != 123*time.Microsecond || err != nil {
		t.Errorf("answer %v, %v", d, err)
	}
	if _, err := r.side(o)(78); err == nil || !strings.Contains(err.Error(), "cannot put 8 16 3 78") {
		t.Errorf("answer to an order that cannot be carried out: %v", err)
	}
	if err := r.dismiss(true); err != nil {
		t.Errorf("a job may crash when it has said all: %v", err)
	}
}

func TestRemoteReportsACrashOfOurs(t *testing.T) {
	r, err := hire(t.Context(), "a job", t.TempDir(), 2, job(errCrash, "ready 2 x\n", "bye\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.dismiss(false); !errors.Is(err, errCrash) {
		t.Errorf("error %v, want %v", err, errCrash)
	}
}

// Whatever a job does instead of answering, the error has its own.
func TestRemoteThatIsLost(t *testing.T) {
	for name, script := range map[string][]string{
		"says nothing":         {},
		"ends before it is up": {""},
		"has another size":     {"ready 3 x\n"},
		"ends at an order":     {"ready 2 x\n", ""},
		"says half a line":     {"ready 2 x\n", "12"},
		"does not say bye":     {"ready 2 x\n", "12\n", "what?\n"},
	} {
		r, err := hire(t.Context(), "a job", t.TempDir(), 2, job(errCrash, script...))
		if err == nil {
			_, err = r.side(Order{Op: OpPut})(1)
		}
		if err == nil {
			err = r.dismiss(true)
		} else if r != nil && r.dismiss(true) != nil {
			t.Errorf("%s: reported twice", name)
		}
		if !errors.Is(err, errCrash) || !strings.HasPrefix(err.Error(), "a job: ") {
			t.Errorf("%s: error %v, want %v", name, err, errCrash)
		}
	}
}

func TestRemoteThatCannotBeStarted(t *testing.T) {
	_, err := hire(t.Context(), "a job", t.TempDir(), 2, func(context.Context, string) error { return errCrash })
	if !errors.Is(err, errCrash) || !strings.Contains(err.Error(), "did not start") {
		t.Errorf("error %v, want %v", err, errCrash)
	}
}
