// Package failtest has only tests: one table of what can go wrong in a job, with
// what the user is told, and the page docs/failures.md that is made from it.
//
// A row runs as a job of processes that is bound to end, with the exit status, the
// lines and nothing left behind that the table says; where it makes sense, also on
// goroutine PEs. A row may also name tests of other packages that hold it in more
// variants, or instead.
package failtest
