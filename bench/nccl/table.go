package main

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// What is wanted.
const (
	smallMost  = 64 << 10 // bytes: up to here a call takes at most
	smallRatio = 1.05     // of C's time
	largeLeast = 16 << 20 // bytes: from here on the bandwidth is at least
	largeRatio = 0.99     // of PyTorch's
)

// The measures, as all contenders call them.
const (
	measureCall    = "call"
	measureEnqueue = "enqueue"
	measureQueue   = "queue"
)

// entry is a row with all its figures.
type entry struct {
	row
	mine, c, torch float64 // microseconds; 0: none
	beside         string  // with whom it is compared; "": nobody
	ratio, limit   float64 // of times, mine to theirs; ratio 0: it could not be measured
}

func (e entry) met() bool { return e.ratio > 0 && e.ratio <= e.limit }

// entries are those of rows that we have.
func (f *figures) entries() (list []entry) {
	for _, r := range f.ordered() {
		e := entry{row: r, mine: f.micros(ours, r), c: f.micros(inC, r)}
		if e.mine == 0 {
			continue
		}
		r.Mode = modes()[0] // PyTorch's communicators block
		e.torch = f.micros(pyTorch, r)
		switch {
		case e.Bytes <= smallMost && e.Measure != measureEnqueue && f.Samples[inC] != nil:
			e.beside, e.ratio, e.limit = inC, over(e.mine, e.c), smallRatio
		case e.Bytes >= largeLeast && e.Measure == measureQueue && f.Samples[pyTorch] != nil:
			e.beside, e.ratio, e.limit = pyTorch, over(e.mine, e.torch), 1/largeRatio
		}
		list = append(list, e)
	}
	return list
}

// over is a/b, 0 without a b.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// write prints the table, and what it comes to.
func (f *figures) write(w io.Writer) error {
	text := fmt.Sprintf("\n%d ranks, medians of %d visits (%d were wanted), NCCL %v\n\n", f.Ranks, f.Visits, f.Wanted, f.Versions)
	text += "| collective | bytes | measure | communicator | goshmem us | C us | / C | PyTorch us | / PyTorch | bus GB/s | met |\n"
	text += "|---|---|---|---|---|---|---|---|---|---|---|\n"
	list := f.entries()
	for _, e := range list {
		text += fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", e.Op, e.Bytes, e.Measure, e.Mode, cell(e.mine),
			cell(e.c), cell(over(e.mine, e.c)), cell(e.torch), cell(over(e.mine, e.torch)), cell(e.bus(f.Ranks)), e.mark())
	}
	_, err := io.WriteString(w, text+"\n"+f.summary(list))
	return err
}

// cell is a figure; 0 is none.
func cell(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

func (e entry) mark() string {
	switch {
	case e.beside == "":
		return ""
	case e.met():
		return "yes"
	}
	return "NO"
}

// bus is the bandwidth of the links in GB/s, with nccl-tests' factors.
func (e entry) bus(ranks int) float64 {
	if e.Measure != measureQueue || e.Bytes < largeLeast {
		return 0
	}
	return float64(e.Bytes) / e.mine / 1000 * factor(e.Op, float64(ranks))
}

// summary says what is met, by kind of communicator, and what the kinds cost.
func (f *figures) summary(list []entry) (text string) {
	for _, mode := range modes() {
		text += target(list, inC, mode, fmt.Sprintf("times up to 64 KiB at most %.2f of C's", smallRatio))
		text += target(list, pyTorch, mode, fmt.Sprintf("bus bandwidth from 16 MiB at least %.2f of PyTorch's", largeRatio))
	}
	for _, who := range []string{ours, inC} {
		for _, measure := range []string{measureCall, measureEnqueue, measureQueue} {
			text += f.price(who, measure)
		}
	}
	for _, who := range f.Failed {
		text += "left out: " + who + "\n"
	}
	for who, v := range f.Versions {
		if v != f.Versions[ours] {
			text += fmt.Sprintf("%s has NCCL %d, goshmem has %d: these are not to be compared\n", who, v, f.Versions[ours])
		}
	}
	return text
}

// target is a line about what is wanted beside one contender.
func target(list []entry, who, mode, what string) string {
	met, rows, worst, ratios := 0, 0, entry{}, []float64(nil)
	for _, e := range list {
		if e.beside != who || e.Mode != mode {
			continue
		}
		if rows++; e.ratio > 0 {
			ratios = append(ratios, e.ratio)
		}
		if e.met() {
			met++
		}
		if e.ratio > worst.ratio {
			worst = e
		}
	}
	if len(ratios) == 0 {
		return fmt.Sprintf("%s, %s: not measured\n", what, mode)
	}
	return fmt.Sprintf("%s, %s: %d of %d rows; geometric mean of times %.3f, worst %.3f (%s of %d bytes, %s)\n",
		what, mode, met, rows, mean(ratios), worst.ratio, worst.Op, worst.Bytes, worst.Measure)
}

// price is a line about what communicators that do not block cost: of small calls.
func (f *figures) price(who, measure string) string {
	var ratios, block, other []float64
	for _, r := range f.Rows {
		if r.Measure != measure || r.Mode != modes()[0] || r.Bytes > smallMost {
			continue
		}
		a := f.micros(who, r)
		r.Mode = modes()[1]
		if b := f.micros(who, r); a > 0 && b > 0 {
			block, other, ratios = append(block, a), append(other, b), append(ratios, b/a)
		}
	}
	if len(ratios) == 0 {
		return ""
	}
	slices.Sort(block)
	slices.Sort(other)
	return fmt.Sprintf("%s, %s up to 64 KiB: %.2f us blocking, %.2f us nonblocking (medians of %d rows), geometric mean of the ratios %.2f\n",
		who, measure, block[len(block)/2], other[len(other)/2], len(ratios), mean(ratios))
}

// mean is the geometric one.
func mean(list []float64) float64 {
	sum := 0.0
	if len(list) == 0 {
		return 0
	}
	for _, v := range list {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(list)))
}

// verdict is an error unless all that is wanted was measured, and is so.
func (f *figures) verdict() error {
	list := f.entries()
	if len(list) == 0 {
		return fmt.Errorf("nothing was measured: %q", f.Failed)
	}
	missed := 0
	for _, e := range list {
		if e.beside != "" && !e.met() {
			missed++
		}
	}
	if missed > 0 || len(f.Failed) > 0 {
		return fmt.Errorf("%w: %d of the rows, %d contenders were left out", errMissed, missed, len(f.Failed))
	}
	return nil
}
