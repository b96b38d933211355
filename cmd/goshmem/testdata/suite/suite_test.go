// Package suite has tests that end differently on some ranks, as the variable
// SUITE wants.
package suite

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
)

func on(t *testing.T, what, rank string) bool {
	t.Helper()
	return os.Getenv("SUITE") == what && os.Getenv("GOSHMEM_RANK") == rank
}

func TestMain(m *testing.M) {
	code := m.Run()
	if os.Getenv("SUITE") == "exit" && os.Getenv("GOSHMEM_RANK") == "0" {
		code = 7
	}
	os.Exit(code)
}

func TestPasses(t *testing.T) {
	fmt.Print("not a line ") // the result must be found after it
	if _, err := os.Stat("suite_test.go"); err != nil {
		t.Error("not in the folder of the package:", err)
	}
}

func TestOnRank1(t *testing.T) {
	if on(t, "fail", "1") {
		t.Run("part", func(t *testing.T) { t.Error("wrong on rank 1") })
	}
	if on(t, "weak", "1") && os.Getenv("GOSHMEM_WEAK") == "3" {
		t.Error("wrong with this seed")
	}
}

func TestSkips(t *testing.T) { t.Skip("always") }

func TestDies(t *testing.T) {
	if on(t, "die", "1") || on(t, "stuck", "1") {
		fmt.Println("about to die")
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
}

func TestLater(t *testing.T) {
	if on(t, "stuck", "0") {
		time.Sleep(time.Hour) // until the launcher stops it
	}
}

func TestLast(t *testing.T) {}

func TestVeryLast(t *testing.T) {}
