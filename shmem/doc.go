// Package shmem is symmetric memory for Go: every processing element (PE) of a
// world owns a heap of the same shape, and each can put to, get from and update
// atomically the heaps of the others, without the others' help. It answers to
// OpenSHMEM, rocSHMEM and rocshmem4py.
//
// # Programs
//
// [Main] runs a function as one PE of the job that a launcher started (goshmem
// run, mpirun, mpiexec.hydra, torchrun, srun), or as a world of one PE without a
// launcher. [RunLocal] runs the same function on n PEs as goroutines of this
// process. [Init] and [World.Finalize] are the parts for programs that need them.
//
// PE numbers in puts, gets and atomics are those of the world, also after a split;
// [Team.Translate] gives them for members of a team. A world has at most 64 teams at
// once, the world's own two included.
//
// # Memory model
//
// A put returns when its source may be reused. That its data has arrived is known
// only after [World.Quiet] or [Team.Barrier] on the PE that put:
//
//	dst.Put(src, 1)
//	w.Quiet(ctx)        // now PE 1's dst holds the data
//
// [World.Fence] orders puts and atomics to one PE without waiting for them:
//
//	data.Put(src, 1)
//	w.Fence()
//	flag.P(0, 1, 1)     // whoever sees the flag on PE 1 sees the data there
//
// A signal does that by itself: who sees it sees the data of the same
// [Array.PutSignal]. [Team.Barrier] is Quiet and a rendezvous; [Team.Sync] is the
// rendezvous alone and makes visible only what each PE stored in its own memory.
// Atomics are atomic with each other on one element of one type. [Array.P],
// [Array.G] and transfers of 1, 2, 4 or 8 aligned bytes happen in one piece.
// [Array.At], [Array.Fill], [Array.CopyTo] and [Array.CopyFrom] are complete when
// they return and ordered after earlier blocking calls of this PE. Non-blocking
// forms (NBI) complete at Quiet or Barrier; until then their local side must not
// be touched. Where an engine is stronger than this, programs must not rely on it.
//
// # Contexts
//
// A [CommContext] orders and completes what goes through it apart from everything
// else. [Array.Via] is the array as the context sees it: the same operations, with PE
// numbers of the context's team.
//
//	c, err := team.NewContext(shmem.ContextOptions{})
//	far, err := dst.Via(c)
//	far.PutNBI(src, 0)  // PE 0 of the team
//	c.Quiet(ctx)        // completes this, and nothing else
//
// # Memory that nobody needs any more
//
// [Array.Free] is collective, so a garbage collector must not do it. [Array.Release]
// is not: each PE gives up its own part when it likes, and the first Alloc after all
// have done so takes the memory back.
//
// # Checked mode
//
// With GOSHMEM_CHECK=1, or [CheckOn] in the options, and always in package shmemtest
// unless it is turned off, every operation is recorded and held to its promises; see
// [Check]. Virtual nodes (GOSHMEM_NODE_SIZE, [Options.NodeSize]) show how a program
// does where not all memory can be loaded and stored.
//
// # Weak mode
//
// With GOSHMEM_WEAK=seed, or [Options.Weak], data arrives as late, and in as odd an order,
// as the memory model allows, the same with the same seed: a program that forgets a fence
// or a quiet fails, and the seed is told.
//
// # Collectives
//
// [Broadcast], [FCollect], [AllReduce] and the others are functions over a team. They
// return when this PE's arrays may be used again, and are no barriers: other members may
// still be at work. All members call the same ones in the same order with the same
// lengths, operations and roots; if they do not, those that find out get [ErrMismatch] and
// the team is out of order. Whoever waits for nobody, as the root of a broadcast, finds it out
// in the next one at the latest that moves data. [Handle] says what holds for those that are started.
//
// # Waiting
//
// A context is the first parameter of exactly those calls that can wait for
// another PE. A context without a deadline gets [Options.Timeout], 5 minutes
// unless set. No wait hangs: it ends when what it waits for comes, when the time
// is over, or when a PE dies or fails, and then the error says who is missing and
// where everybody is. After a failed collective the members of the team no longer
// agree on what comes next, so the team is out of order and its later collectives
// fail at once, for every member, and with [ErrTimeout] if a time-out was the reason.
//
// [WaitUntilAny], [WaitUntilSome] and [WaitUntilAll] are one wait for several elements
// of an array, also for signals: those that [SignalAt] makes of its elements.
//
// # Locks
//
// A [Lock] is held by one PE at a time. [Lock.Clear] completes what this PE has put, as
// Quiet does, so that the next holder finds it. PEs that wait get the lock in the order
// in which they have asked; one that gives up leaves the queue. A lock whose holder
// dies is not passed on: as with every death, the waits end with an error.
//
// # Concurrency
//
// Everything may be used by many goroutines at once, except that a team does one
// collective at a time: a second one gets [ErrConcurrentCollective]. Allocating,
// freeing and splitting are collectives of the world or the parent team.
package shmem
