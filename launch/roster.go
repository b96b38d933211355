package launch

import (
	"fmt"
	"strings"
)

// roster says who is there and who is not: in the present call, else in the job.
func (h *hub) roster() string {
	there, absent := "joined", "not joined"
	is := func(m *member) bool { return m != nil }
	if h.gate.come > 0 {
		there, absent = "in "+h.gate.name(), "not there"
		is = func(m *member) bool { return m != nil && m.here }
	}
	var in, out []span
	for rank, m := range h.members {
		switch {
		case is(m):
			in = extend(in, rank, m.host)
		case m != nil:
			out = extend(out, rank, m.host)
		default:
			out = extend(out, rank, "")
		}
	}
	text := fmt.Sprintf("%s: %s; %s: %s", there, list(in), absent, list(out))
	if h.dropped != "" && h.joined < len(h.members) {
		text += "; " + h.dropped
	}
	return text
}

// span is a run of ranks on one host.
type span struct {
	from, to int
	host     string
}

// extend adds a rank to the last run if it fits.
func extend(spans []span, rank int, host string) []span {
	if n := len(spans); n > 0 && spans[n-1].to == rank-1 && spans[n-1].host == host {
		spans[n-1].to = rank
		return spans
	}
	return append(spans, span{rank, rank, host})
}

// list writes runs as "0-2 (hostA), 4 (hostB)".
func list(spans []span) string {
	if len(spans) == 0 {
		return "none"
	}
	var parts []string
	for _, s := range spans {
		text := fmt.Sprint(s.from)
		if s.to > s.from {
			text += fmt.Sprintf("-%d", s.to)
		}
		if s.host != "" {
			text += " (" + s.host + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}
