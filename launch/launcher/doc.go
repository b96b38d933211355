// Package launcher starts the processes of a job, or those of this machine, and stays with
// them until the last one is gone. `goshmem run`, `goshmem test` and shmemtest
// are thin layers over Run. The life of a job:
//
//  1. Spec.Check rejects what cannot work before anything is built or started.
//  2. A secret, a meeting point and a port are drawn; they and the rank reach
//     each process by environment, under our names and torchrun's.
//  3. One thread forks all ranks, each into its own process group, and lives as
//     long as the job: the kernel kills the ranks should that thread die.
//  4. Lines are passed on whole, with host and rank in front; the last lines of
//     every stderr are kept for the report.
//  5. Deaths are seen in the order in which they happen. Dead ranks stay zombies
//     until the end, so that a process group's number cannot be reused and the
//     other PEs can read how their peer ended.
//  6. After a first failure the others may report for Settle, then get SIGTERM,
//     and SIGKILL after Grace. A stop signal is passed on and then the same
//     Grace runs; a second Ctrl-C kills at once.
//  7. When the last rank is dead, what is left in the groups is killed too.
//  8. Result.Report names the rank that failed first, how it ended, its last
//     words, who had ended well before, and who needed SIGTERM or SIGKILL; Error
//     has its exit status. The first that ended may only have followed another,
//     which had given up: then the last words of the ranks say which. Where two
//     ranks contradict each other, and no majority decides, it is the first that
//     ended.
//
// Where a job spans machines (Spec.Nodes) a launcher runs on each. They meet first, tell
// each other how many ranks they start and what keeps them from it, and find the network
// interface that reaches all of them. Then they stay connected, by way of node 0: each tells
// all of every rank that ends and of every signal, in one order for all, so that all end for
// the same reason, with the same report and status. A launcher that is gone ends the job.
//
// Grandchildren that leave their process group are on their own, and those of a
// launcher killed with SIGKILL too: the kernel tells only direct children.
package launcher
