//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// mpi is an MPI library that was opened at run time. It is a shmem.Exchange.
type mpi struct {
	rank, size  int
	mu          sync.Mutex // MPI_THREAD_SERIALIZED: one call at a time
	comm, bytes uintptr    // MPI_COMM_WORLD and MPI_BYTE

	initThread func(argc, argv uintptr, required int32, provided *int32) int32
	commRank   func(comm uintptr, rank *int32) int32
	commSize   func(comm uintptr, size *int32) int32
	bcast      func(buf unsafe.Pointer, count int32, datatype uintptr, root int32, comm uintptr) int32
	barrier    func(comm uintptr) int32
	end        func() int32
}

const threadSerialized = 2 // MPI_THREAD_SERIALIZED, in Open MPI and MPICH alike

// openMPI opens the library at path, or the first that is there, and starts MPI.
func openMPI(path string) (*mpi, error) {
	names := []string{"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"}
	if os.Getenv("PMI_RANK") != "" { // hydra started us: Open MPI would take us for a job of one
		names = []string{"libmpich.so.12", "libmpi.so.12"}
	}
	if path != "" {
		names = []string{path}
	}
	var failures []error
	for _, name := range names {
		lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return start(lib)
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("no MPI library (set MPI_LIBRARY): %w", errors.Join(failures...))
}

func start(lib uintptr) (*mpi, error) {
	m := &mpi{}
	for name, fn := range map[string]any{
		"MPI_Init_thread": &m.initThread, "MPI_Comm_rank": &m.commRank, "MPI_Comm_size": &m.commSize,
		"MPI_Bcast": &m.bcast, "MPI_Barrier": &m.barrier, "MPI_Finalize": &m.end,
	} {
		at, err := purego.Dlsym(lib, name)
		if err != nil {
			return nil, err
		}
		purego.RegisterFunc(fn, at)
	}
	m.constants(lib)
	var provided, rank, size int32
	if code := m.initThread(0, 0, threadSerialized, &provided); code != 0 || provided < threadSerialized {
		return nil, fmt.Errorf("MPI_Init_thread: code %d, thread level %d", code, provided)
	}
	if code := m.commRank(m.comm, &rank); code != 0 {
		return nil, fmt.Errorf("MPI_Comm_rank: code %d", code)
	}
	if code := m.commSize(m.comm, &size); code != 0 {
		return nil, fmt.Errorf("MPI_Comm_size: code %d", code)
	}
	m.rank, m.size = int(rank), int(size)
	return m, nil
}

// constants finds MPI_COMM_WORLD and MPI_BYTE: Open MPI has objects with those
// names, MPICH and its relatives have the numbers of their common binary interface.
func (m *mpi) constants(lib uintptr) {
	m.comm, m.bytes = 0x44000000, 0x4c00010d
	comm, errComm := purego.Dlsym(lib, "ompi_mpi_comm_world")
	bytes, errBytes := purego.Dlsym(lib, "ompi_mpi_byte")
	if errComm == nil && errBytes == nil {
		m.comm, m.bytes = comm, bytes
	}
}

// Broadcast copies root's buf into everybody's. MPI cannot be cancelled, so ctx
// is only looked at before.
func (m *mpi) Broadcast(ctx context.Context, buf []byte, root int) error {
	if err := ctx.Err(); err != nil || len(buf) == 0 {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&buf[0])
	if code := m.bcast(unsafe.Pointer(&buf[0]), int32(len(buf)), m.bytes, int32(root), m.comm); code != 0 {
		return fmt.Errorf("MPI_Bcast: code %d", code)
	}
	return nil
}

// Barrier returns when all ranks have called it.
func (m *mpi) Barrier(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if code := m.barrier(m.comm); code != 0 {
		return fmt.Errorf("MPI_Barrier: code %d", code)
	}
	return nil
}

// finalize ends MPI.
func (m *mpi) finalize() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if code := m.end(); code != 0 {
		return fmt.Errorf("MPI_Finalize: code %d", code)
	}
	return nil
}
