package fault

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	longest = 10 * time.Minute // that a fault may take
	maxN    = 1 << 40
	usually = 32 // the range of a drawn N
)

// Parse reads a text in the form of this package's documentation. An error says which
// fault is wrong and what it may be.
func Parse(text string) ([]Fault, error) {
	var all []Fault
	for part := range strings.SplitSeq(text, ";") {
		f, err := parseOne(part)
		if err != nil {
			return nil, fmt.Errorf("in %q: %w", strings.TrimSpace(part), err)
		}
		all = append(all, f)
	}
	return all, nil
}

func parseOne(text string) (Fault, error) {
	f := Fault{N: 1, upto: usually, From: strings.TrimSpace(text)}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	if len(words) == 0 {
		return f, fmt.Errorf("there is no fault: begin with one of %s", strings.Join(verbs(), ", "))
	}
	for _, word := range words {
		if err := f.read(word); err != nil {
			return f, err
		}
	}
	return f, f.check()
}

// read takes one word in.
func (f *Fault) read(word string) error {
	key, value, setting := strings.Cut(word, "=")
	switch {
	case !setting && !slices.Contains(verbs(), word):
		return fmt.Errorf("%q is neither a fault (%s) nor key=value", word, strings.Join(verbs(), ", "))
	case !setting && f.Verb != "":
		return fmt.Errorf("both %s and %s: put a ; between two faults", f.Verb, word)
	case !setting:
		f.Verb = Verb(word)
		return nil
	case slices.Contains(f.given, key):
		return fmt.Errorf("%s stands there twice", key)
	}
	f.given = append(f.given, key)
	if err := f.set(key, value); err != nil {
		return fmt.Errorf("%s=%s: %w", key, value, err)
	}
	return nil
}

func (f *Fault) set(key, value string) (err error) {
	switch key {
	case "pe":
		f.PE, err = number(value, 0)
	case "node":
		f.Node, err = number(value, 0)
	case "n":
		f.N, err = number(value, 1)
	case "upto":
		f.upto, err = number(value, 1)
	case "op":
		f.Op, err = operation(value)
	case "by":
		f.By, err = duration(value)
	case "link":
		f.Link, err = link(value)
	case "seed":
		f.seeded = true
		if f.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			err = errors.New("a seed is a number from 0 on")
		}
	default:
		err = errors.New("no such key: there are pe, op, n, by, link, node, seed and upto")
	}
	return err
}

// check looks whether the keys are those that the verb needs.
func (f *Fault) check() error {
	if f.Verb == "" {
		return fmt.Errorf("no fault is named: use one of %s", strings.Join(verbs(), ", "))
	}
	needs := keysOf(f.Verb)
	for _, key := range f.given {
		switch {
		case key == "upto" && !f.seeded, key == "upto" && f.has("n"):
			return errors.New("upto is the range of an n that a seed draws")
		case key != "seed" && key != "upto" && !slices.Contains(needs, key):
			return fmt.Errorf("%s has no %s: it takes %s", f.Verb, key, strings.Join(needs, ", "))
		}
	}
	for _, key := range needs {
		if key != "n" && !f.seeded && !f.has(key) {
			return fmt.Errorf("%s needs %s=, or seed= to draw it", f.Verb, key)
		}
	}
	if f.Verb == Fail && f.Op == Fence {
		return errors.New("a fence returns no error: it cannot fail")
	}
	return nil
}

func (f *Fault) has(key string) bool { return slices.Contains(f.given, key) }

func number(text string, least int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > maxN {
		return 0, fmt.Errorf("not a number from %d on", least)
	}
	return n, nil
}

func operation(text string) (Op, error) {
	if !slices.Contains(Ops(), Op(text)) {
		return "", fmt.Errorf("no such operation: there are %s", strings.Trim(fmt.Sprint(Ops()), "[]"))
	}
	return Op(text), nil
}

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > longest {
		return 0, fmt.Errorf("not a duration such as 20ms, up to %v", longest)
	}
	return d, nil
}

func link(text string) (ends [2]int, err error) {
	a, b, found := strings.Cut(text, "-")
	if ends[0], err = number(a, 0); err == nil && found {
		ends[1], err = number(b, 0)
	}
	if err != nil || !found || ends[0] == ends[1] {
		return ends, errors.New("not a link between two PEs, such as 0-3")
	}
	return ends, nil
}
