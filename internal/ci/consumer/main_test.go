package main

import (
	"testing"

	"github.com/goshmem/goshmem/shmem"
	"github.com/goshmem/goshmem/shmemtest"
)

func TestSum(t *testing.T) {
	shmemtest.Run(t, 4, func(t testing.TB, w *shmem.World) {
		got, err := Sum(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(w.NPEs() * (w.NPEs() - 1) / 2); got != want {
			t.Errorf("PE %d reads %d, want %d", w.MyPE(), got, want)
		}
	})
}
