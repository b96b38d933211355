//go:build !linux

package launch

import (
	"net"
	"time"
)

// unanswered has nothing to set: the system's own bound counts.
func unanswered(*net.TCPConn, time.Duration) error { return nil }
