package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Why a wait ended without what it waited for.
var (
	ErrTimeout  = errors.New("timed out")
	ErrDied     = errors.New("a PE died")
	ErrFailed   = errors.New("a PE failed")
	ErrMismatch = errors.New("PEs disagree")

	// ErrOutOfOrder is a call at a gate that has failed before.
	ErrOutOfOrder = errors.New("out of order")
)

// State is the life of a PE as its board shows it.
type State uint32

// The states of a PE.
const (
	Starting State = iota
	Running
	Finalized // left in good order
	Failed    // gave up, with a reason
	Left      // gave up because of another PE
	Dead      // its process is gone
)

// Progress is where a PE is: the last waiting call that it entered, and whether
// it is still in it.
type Progress struct {
	PE     int
	State  State
	Host   string // empty for goroutine PEs
	Pid    int    // 0 for goroutine PEs
	Call   Call
	Active bool
	Site   string // file:line of the call, if it is known
	Reason string // why it failed, or how it died
	Note   string // what it last refused, and why
	Order  int    // of the dead: which was noticed first
	Last   Record // its latest operation, in checked mode
	Untold bool   // it is of another node, and has not told yet in which call it is
}

// Stall is the error of a wait that cannot succeed. It says who is missing and
// where everybody is.
type Stall struct {
	Cause  error // one of the Err values above, or a context's error
	After  time.Duration
	Absent []int      // who is waited for, if it is known
	PEs    []Progress // all PEs of the team, in order
	Detail string     // replaces the sentence about the absent
	Limit  string     // what sets the limit of a time-out, if the caller did not
}

// Unwrap returns the cause.
func (s *Stall) Unwrap() error { return s.Cause }

// Is lets a time-out answer to context.DeadlineExceeded, whoever set the limit.
func (s *Stall) Is(target error) bool {
	return s.Cause == ErrTimeout && target == context.DeadlineExceeded
}

// Error says who died, failed or is absent, and then where everybody is.
func (s *Stall) Error() string {
	var parts []string
	if s.Detail != "" {
		parts = append(parts, s.Detail)
	} else if p := s.culprit(); p != nil {
		parts = append(parts, p.obituary())
	}
	if s.After > 0 {
		parts = append(parts, fmt.Sprintf("%v after %v%s", s.Cause, s.After.Round(time.Millisecond), s.Limit))
	} else if len(parts) == 0 {
		parts = append(parts, s.Cause.Error())
	}
	return strings.Join(append(parts, s.whereabouts()...), "; ")
}

// culprit is the PE that died first, else one that failed, if there is one.
func (s *Stall) culprit() *Progress {
	var found *Progress
	for i := range s.PEs {
		p := &s.PEs[i]
		switch {
		case p.State == Dead && (found == nil || found.State == Failed || p.Order < found.Order):
			found = p
		case p.State == Failed && found == nil:
			found = p
		}
	}
	return found
}

// obituary says what became of a PE and where it was seen last.
func (p *Progress) obituary() string {
	text := fmt.Sprintf("PE %d%s %s", p.PE, p.where(), p.Reason)
	switch {
	case p.Untold:
		return text + "; which call it was in is unknown"
	case p.Call.Kind == None:
		return text + "; it was in no call yet"
	}
	return text + "; it was last in " + p.callAt()
}

func (p *Progress) where() string {
	if p.Pid == 0 {
		return ""
	}
	return fmt.Sprintf(" (host %s, pid %d)", p.Host, p.Pid)
}

func (p *Progress) callAt() string {
	if p.Site == "" {
		return p.Call.String()
	}
	return fmt.Sprintf("%v (%s)", p.Call, p.Site)
}

// place says where a living PE is.
func (p *Progress) place() string {
	switch {
	case p.State == Starting:
		return "not started"
	case p.State == Finalized:
		return "finalized"
	case p.State == Dead, p.State == Failed:
		return "gone as well: " + p.Reason
	case p.Active:
		return "in " + p.callAt()
	case p.Untold:
		return "in an unknown call, if any"
	case p.Call.Kind == None:
		return "in no call yet"
	}
	return "past " + p.callAt()
}

// Whereabouts says where everybody is.
func (s *Stall) Whereabouts() string { return strings.Join(s.whereabouts(), "; ") }

// whereabouts groups the living PEs by place: "PEs 0, 1, 3 are in barrier #12".
func (s *Stall) whereabouts() []string {
	var order []string
	groups := map[string][]int{}
	culprit := s.culprit()
	for i := range s.PEs {
		p := &s.PEs[i]
		if p == culprit {
			continue
		}
		text := p.place()
		if slices.Contains(s.Absent, p.PE) {
			text = "absent: " + strings.Replace(text, "past ", "in no call since ", 1) + p.Last.latest()
		}
		if groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], p.PE)
	}
	for i, text := range order {
		order[i] = PEs(groups[text]) + " " + text
	}
	return order
}

// PEs names PEs as the subject of a sentence, verb included: "PE 2 is",
// "PEs 0, 1, 3 are". Runs of three or more are written as a range.
func PEs(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("PE %d is", list[0])
	}
	return "PEs " + Ranges(list) + " are"
}

// Ranges writes sorted numbers with runs of three or more shortened: "0-2, 5, 7".
func Ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j-i >= 2 {
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
			i = j + 1
			continue
		}
		parts = append(parts, fmt.Sprint(list[i]))
		i++
	}
	return strings.Join(parts, ", ")
}
