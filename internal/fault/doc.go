// Package fault reads what GOSHMEM_FAULT says: which PE is to fail, how, and at which of
// its operations.
//
// The text is one fault or several with ";" between them. A fault is a verb and settings
// of the form key=value, in any order, with blanks or commas between them:
//
//	delay    pe=P op=OP n=N by=TIME   the operation takes so much longer
//	stop     pe=P op=OP n=N           the PE hangs there, a process as after SIGSTOP
//	kill     pe=P op=OP n=N           the PE dies there, a process by SIGKILL
//	fail     pe=P op=OP n=N           the operation does nothing and returns an error
//	slow     link=P-Q by=TIME         every transfer and every meeting of P and Q takes longer
//	exhaust  pe=P n=N                 the N-th allocation of the PE finds no memory
//	lose     node=V op=OP n=N         all PEs of virtual node V die when its first PE is there
//
// N counts the operations of that kind on that PE from 1, which it also is if it is left
// out; TIME is a Go duration up to 10m. With seed=S, a number, whatever else is left out
// is drawn: the same for the same seed, text and number of PEs. N is drawn from 1 to upto=M
// (32), among all operations of the PE if op is left out too.
//
// The operations, each counted as the program issues it:
//
//	put get       plain and non-blocking transfers; Set, At and the like are none
//	signal        puts with a signal
//	atomic        atomics, among them those of signals without data and of locks
//	wait lock     long waits for a value, for a lock
//	quiet fence   also the quiet that begins a barrier, and those in other calls
//	init          of processes; goroutine PEs do without
//	barrier sync alloc free split destroy finalize
//	broadcast collect fcollect alltoall alltoallv reduce allreduce reducescatter
//	inscan exscan gather scatter
//	any           all of these
//
// A fence returns no error, so it cannot fail.
package fault
