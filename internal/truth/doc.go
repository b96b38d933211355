// Package truth holds small programs with one-sided communication, each labelled as
// racy or clean, and runs them in race mode. The labels are those of RMARaceBench's
// OpenSHMEM programs; the programs are written anew. Its tests are in builds with the race
// detector only.
package truth
