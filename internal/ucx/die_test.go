package ucx

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
	"unsafe"
)

func TestMain(m *testing.M) {
	if os.Getenv("CHILD") != "" {
		child()
		return
	}
	os.Exit(m.Run())
}
func child() {
	w, err := Open(Config{Transports: "tcp", Devices: "lo"})
	if err != nil {
		panic(err)
	}
	m, err := w.Allocate(16 << 20)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x %x %d\n", w.Address(), m.Key(), m.Base())
	io.Copy(io.Discard, os.Stdin)
}

func TestDie(t *testing.T) {
	for _, mode := range []string{"put", "get", "idle", "stop"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CHILD=1")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var a, k string
		var base uint64
		fmt.Sscanf(line, "%s %s %d", &a, &k, &base)
		addr, _ := hex.DecodeString(a)
		key, _ := hex.DecodeString(k)
		w := open(t, Config{Transports: "tcp", Devices: "lo", Timeout: 3 * time.Second})
		p, err := w.Connect("child", addr)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Map(key, base)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1<<20)
		if err := r.Put(0, unsafe.Pointer(&buf[0]), 8); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.AfterFunc(300*time.Millisecond, func() {
			if mode == "stop" {
				exec.Command("kill", "-STOP", fmt.Sprint(cmd.Process.Pid)).Run()
			} else {
				cmd.Process.Kill()
			}
		})
		for i := 0; ; i++ {
			var err error
			switch mode {
			case "put", "stop":
				err = r.Put(0, unsafe.Pointer(&buf[0]), 1<<20)
			case "get":
				err = r.Get(0, unsafe.Pointer(&buf[0]), 1<<20)
			case "idle":
				time.Sleep(10 * time.Millisecond)
				err = p.Err()
			}
			if mode != "idle" && err == nil {
				err = w.Flush(context.Background())
			}
			if err != nil {
				t.Log(mode, i, time.Since(start), err)
				break
			}
			if time.Since(start) > 8*time.Second {
				t.Error(mode, "not seen")
				break
			}
		}
		start = time.Now()
		t.Log(r.Put(0, unsafe.Pointer(&buf[0]), 8), w.Flush(context.Background()))
		w.Close()
		t.Log("close", time.Since(start))
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	}
}
