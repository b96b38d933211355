package ncclperf

import "bytes"

// period is after how many elements data repeats: a prime, so that parts that end up at
// the wrong place are noticed.
const period = 4093

// pattern is the data of a rank, or a result: element i is that of i modulo the period.
type pattern struct {
	e       element
	content []byte // twice the period
}

// patternOf is the pattern of a function of the element's number.
func patternOf(e element, of func(i int) float64) pattern {
	p := pattern{e, make([]byte, 2*period*e.size)}
	for i := range 2 * period {
		e.put(p.content[i*e.size:], of(i%period))
	}
	return p
}

// fill makes b the elements from number first on.
func (p pattern) fill(b []byte, first int) {
	for len(b) > 0 {
		n := copy(b, p.from(first)[:min(len(b), period*p.e.size)])
		b, first = b[n:], first+n/p.e.size
	}
}

// from is at least a period of elements from number first on.
func (p pattern) from(first int) []byte { return p.content[first%period*p.e.size:] }

// wrong counts the elements of b that are not those from number first on.
func (p pattern) wrong(b []byte, first int, right func(got, want float64) bool) (count int64) {
	for len(b) > 0 {
		n := min(len(b), period*p.e.size)
		if want := p.from(first); !bytes.Equal(b[:n], want[:n]) {
			for i := 0; i < n; i += p.e.size {
				if !right(p.e.get(b[i:]), p.e.get(want[i:])) {
					count++
				}
			}
		}
		b, first = b[n:], first+n/p.e.size
	}
	return count
}
