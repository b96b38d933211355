package killtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goshmem/goshmem/launch"
	"github.com/goshmem/goshmem/shmem"
)

// deadly is an exchange that kills its process at one of its calls.
type deadly struct {
	shmem.Exchange
	calls int
	at    int  // which call; 0: none
	after bool // when the call is over, not before it
}

func (d *deadly) call(f func() error) error {
	d.calls++
	if d.calls == d.at && !d.after {
		die()
	}
	err := f()
	if d.calls == d.at {
		die()
	}
	return err
}

// die says when, in a place that survivors can read: nothing is shared yet.
func die() {
	fmt.Println("dead", now())
	kill(unix.SIGKILL)
}

func (d *deadly) Broadcast(ctx context.Context, buf []byte, root int) error {
	return d.call(func() error { return d.Exchange.Broadcast(ctx, buf, root) })
}

func (d *deadly) Barrier(ctx context.Context) error {
	return d.call(func() error { return d.Exchange.Barrier(ctx) })
}

// exchangeProgram is: victim, number of the call, before or after it.
func exchangeProgram(args []string) {
	j := must(launch.Detect(os.Environ()))
	d := &deadly{after: args[2] == "after"}
	if j.Rank == must(strconv.Atoi(args[0])) {
		d.at = must(strconv.Atoi(args[1]))
	}
	err := d.init(j)
	fmt.Printf("now %d\nkind %s\nerror %v\n", now(), kind(err), err)
	if err != nil {
		os.Exit(1)
	}
}

// init makes a world by way of the exchange.
func (d *deadly) init(j launch.Job) error {
	ctx := context.Background()
	store, err := launch.Join(ctx, j)
	if err != nil {
		return err
	}
	d.Exchange = store
	_, err = shmem.Init(ctx, shmem.Options{Exchange: d, Rank: j.Rank, Size: j.Size, HeapSize: 1 << 20})
	return errors.Join(err, store.Close())
}

// TestDeathInInit kills a PE around every step of the exchange of memory.
func TestDeathInInit(t *testing.T) {
	for _, victim := range []int{0, 2} {
		for _, when := range []string{"1 before", "1 after", "2 before", "2 after"} {
			t.Run(fmt.Sprintf("PE %d, %s", victim, when), func(t *testing.T) {
				for range *deathRounds {
					n, order, _ := strings.Cut(when, " ")
					checkInit(t, run(t, 4, "exchange", strconv.Itoa(victim), n, order), victim)
				}
			})
		}
	}
}

// checkInit wants every survivor to name the dead process soon.
func checkInit(t *testing.T, j job, victim int) {
	t.Helper()
	died, err := strconv.ParseInt(j.line(victim, "dead"), 10, 64)
	if err != nil || j.Ranks[victim].Signal != "SIGKILL" {
		t.Fatalf("the victim did not die where it should\n%s", j.text())
	}
	for r := range j.Ranks {
		if r == victim {
			continue
		}
		kind, text := j.line(r, "kind"), j.line(r, "error")
		told := kind == "died" && strings.HasPrefix(text, "shmem: init: ")
		early := kind == "lost" && strings.HasPrefix(text, "launch: join: ") // PE 0 got on faster than the news of that
		learned, err := strconv.ParseInt(j.line(r, "now"), 10, 64)
		if err != nil || !told && !early || !strings.Contains(text, fmt.Sprintf("pid %d)", j.Ranks[victim].Pid)) {
			t.Errorf("rank %d does not say that PE %d died\n%s", r, victim, j.text())
		}
		if after := time.Duration(learned - died); after > latest {
			t.Errorf("rank %d learned of the death after %v", r, after)
		}
	}
}
