package machine

import (
	"os"
	"strings"
	"testing"
)

// TestID: it is the same whenever asked, names the host, and has no line breaks, since
// votes are lines.
func TestID(t *testing.T) {
	id, err := ID()
	again, errAgain := ID()
	host, errHost := os.Hostname()
	if err != nil || errAgain != nil || errHost != nil {
		t.Fatal(err, errAgain, errHost)
	}
	if id != again || !strings.HasPrefix(id, host) || len(id) > Most || strings.ContainsAny(id, "\n\x00") {
		t.Errorf("id %q, again %q, host %q", id, again, host)
	}
}
