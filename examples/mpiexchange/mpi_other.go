//go:build !linux

package main

import (
	"context"
	"errors"
)

// mpi stands for the library where it cannot be opened.
type mpi struct{ rank, size int }

var errOther = errors.New("this example opens MPI on linux only")

func openMPI(string) (*mpi, error) { return nil, errOther }

// Broadcast is never called: there is no mpi value here.
func (*mpi) Broadcast(context.Context, []byte, int) error { return errOther }

// Barrier is never called: there is no mpi value here.
func (*mpi) Barrier(context.Context) error { return errOther }

func (*mpi) finalize() error { return errOther }
