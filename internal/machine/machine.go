// Package machine says which machine this process runs on, as far as processes can
// share memory and meet at names outside the file system there.
package machine

import "os"

// Most is the largest number of bytes of an ID.
const Most = 160

// ID is equal in two processes if they run under the same kernel, with the same host
// name and, on Linux, in the same network namespace. Containers of one machine that
// differ in one of these count as machines of their own. An error is one of the
// system, which does not tell its name.
func ID() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	more := kernel() + network()
	return host[:min(len(host), Most-len(more))] + more, nil
}

// Number counts machines by the IDs of the ranks of a job, in the order in which they come
// up: ranks with equal numbers run on one.
func Number(ids []string) []int {
	known := map[string]int{}
	var where []int
	for _, id := range ids {
		if _, ok := known[id]; !ok {
			known[id] = len(known)
		}
		where = append(where, known[id])
	}
	return where
}
