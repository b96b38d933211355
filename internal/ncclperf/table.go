package ncclperf

import (
	"fmt"
	"io"
	"strconv"
)

// Header is what a report says before its rows.
type Header struct {
	Library string // its name and the file
	Version int    // as ncclGetVersion codes it
	Ranks   []Place
}

// Place is where a rank runs.
type Place struct {
	Rank, Pid   int
	Host        string
	Device      string
	Bus, Called string // address on the bus, and name
}

// Row is one size, type, operation and root.
type Row struct {
	Size       int64  `json:"size"`
	Count      int    `json:"count"`
	Type       string `json:"type"`
	Op         string `json:"redop"`
	Root       int    `json:"root"`
	OutOfPlace Side   `json:"out_of_place"`
	InPlace    *Side  `json:"in_place"`
}

// Side is a measurement of one of the two forms.
type Side struct {
	Micros float64 `json:"time"`
	AlgBW  float64 `json:"alg_bw"` // GB/s
	BusBW  float64 `json:"bus_bw"`
	Wrong  *int64  `json:"nwrong"` // elements of all ranks; nil: not checked
}

// write prints the header as nccl-tests does.
func (h Header) write(w io.Writer, o Options) error {
	step := fmt.Sprintf("%d(bytes)", o.StepBytes)
	if o.Factor > 0 {
		step = fmt.Sprintf("%d(factor)", o.Factor)
	}
	p := &printer{w: w}
	p.line("# goshmem perf nccl, library %s, version %d", h.Library, h.Version)
	p.line("# Collective test starting: %s", o.Test)
	p.line("# nThread 1 nGpus %d minBytes %d maxBytes %d step: %s warmup iters: %d iters: %d agg iters: %d validation: %d graph: %d", o.GPUs, o.MinBytes, o.MaxBytes, step, o.Warmup, o.Iters, o.Aggregate, o.Check, o.Graph)
	p.line("#")
	p.line("# Using devices")
	for _, r := range h.Ranks {
		p.line("#  Rank %2d Group  0 Pid %6d on %s device %s [%s] %s", r.Rank, r.Pid, r.Host, r.Device, r.Bus, r.Called)
	}
	p.line("#")
	p.line("#%63s %31s", "out-of-place", "in-place")
	time := "time"
	if o.CPUTime {
		time = "cputime"
	}
	side := fmt.Sprintf("%8s  %6s  %6s %6s", time, "algbw", "busbw", "#wrong")
	p.line("#%11s  %12s  %8s  %6s  %6s  %s  %s", "size", "count", "type", "redop", "root", side, side)
	unit := fmt.Sprintf("%8s  %6s  %6s %6s", "(us)", "(GB/s)", "(GB/s)", "")
	p.line("#%11s  %12s  %8s  %6s  %6s  %s  %s", "(B)", "(elements)", "", "", "", unit, unit)
	return p.err
}

// write prints a row.
func (r Row) write(w io.Writer) error {
	p := &printer{w: w}
	in := fmt.Sprintf("%8s  %6s  %6s %6s", "-", "-", "-", "-")
	if r.InPlace != nil {
		in = r.InPlace.cells()
	}
	p.line("%12d  %12d  %8s  %6s  %6d  %s  %s", r.Size, r.Count, r.Type, r.Op, r.Root, r.OutOfPlace.cells(), in)
	return p.err
}

func (s Side) cells() string {
	wrong := "N/A"
	if s.Wrong != nil {
		wrong = strconv.FormatInt(*s.Wrong, 10)
	}
	return fmt.Sprintf("%8s  %6s  %6s %6s", fits(s.Micros, 8), fits(s.AlgBW, 6), fits(s.BusBW, 6), wrong)
}

// fits is a number with as many of two decimals as the width allows.
func fits(v float64, width int) string {
	for decimals := 2; decimals >= 0; decimals-- {
		if text := strconv.FormatFloat(v, 'f', decimals, 64); len(text) <= width {
			return text
		}
	}
	return strconv.FormatFloat(v, 'e', 1, 64)
}

// Summary is the end of a report.
type Summary struct {
	Wrong   int64
	Checked bool
	Average float64 // GB/s: of all bus bandwidths
}

func summarise(rows []Row) Summary {
	var s Summary
	sides := 0
	for _, r := range rows {
		for _, side := range []*Side{&r.OutOfPlace, r.InPlace} {
			if side == nil {
				continue
			}
			sides++
			s.Average += side.BusBW
			if side.Wrong != nil {
				s.Checked = true
				s.Wrong += *side.Wrong
			}
		}
	}
	s.Average /= float64(max(sides, 1))
	return s
}

func (s Summary) write(w io.Writer, name string) error {
	p := &printer{w: w}
	switch {
	case !s.Checked:
		p.line("# Out of bounds values : N/A")
	case s.Wrong > 0:
		p.line("# Out of bounds values : %d FAILED", s.Wrong)
	default:
		p.line("# Out of bounds values : 0 OK")
	}
	p.line("# Avg bus bandwidth    : %s", fits(s.Average, 8))
	p.line("#")
	p.line("# Collective test concluded: %s", name)
	return p.err
}

// printer prints lines until one cannot be written.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
