package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/perf"
)

// chapter is the table of the rows of some PEs and buffers.
type chapter struct {
	Title string
	Peers []string
	Lines []string
}

// parts are the chapters of a comparison of collectives, in the order of their rows.
func parts(rows []perf.Row) []chapter {
	var list []chapter
	for _, r := range rows {
		title := fmt.Sprintf("%d PEs, %s", r.PEs, r.Buffers)
		at := slices.IndexFunc(list, func(c chapter) bool { return c.Title == title })
		if at < 0 {
			at = len(list)
			list = append(list, chapter{Title: title})
		}
		for _, p := range r.Peers {
			if !slices.Contains(list[at].Peers, p.Name) {
				list[at].Peers = append(list[at].Peers, p.Name)
			}
		}
	}
	for i := range list {
		for _, r := range rows {
			if list[i].Title == fmt.Sprintf("%d PEs, %s", r.PEs, r.Buffers) {
				list[i].Lines = append(list[i].Lines, list[i].line(r))
			}
		}
	}
	return list
}

// line is a row of a table, with the fastest peer in bold.
func (c chapter) line(r perf.Row) string {
	name, _, _ := strings.Cut(r.Name, ",")
	cells := []string{name, r.Show(r.Ours.Median)}
	for _, peer := range c.Peers {
		cells = append(cells, theirs(r, peer))
	}
	met := ""
	if r.Wanted > 0 {
		met = r.Verdict()
	}
	cells = append(cells, fmt.Sprintf("%.2f", r.Ratio), met, r.State)
	return "| " + strings.Join(cells, " | ") + " |"
}

// theirs is what a peer needed, "" if it was not compared.
func theirs(r perf.Row, peer string) string {
	if len(r.Peers) == 0 && peer == r.Peer {
		return r.Show(r.Theirs.Median)
	}
	for _, p := range r.Peers {
		switch {
		case p.Name != peer:
		case peer == r.Peer:
			return "**" + r.Show(p.Summary.Median) + "**"
		default:
			return r.Show(p.Summary.Median)
		}
	}
	return ""
}
