package chart

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCurves: what is drawn is a picture with the names in it.
func TestCurves(t *testing.T) {
	c := Curves{Title: "all_reduce", Unit: "GB/s", Sizes: []int64{8, 1024, 1 << 20}, Lines: []Line{{"out-of-place", []float64{1, 2, 3}}, {"in-place", []float64{2, 3, 4}}}}
	text := drawn(t, c.Save, "curves.svg")
	for _, want := range []string{"all_reduce", "GB/s", ">1K<", ">1M<", "in-place"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the picture", want)
		}
	}
	if _, err := png.Decode(strings.NewReader(drawn(t, c.Save, "curves.png"))); err != nil {
		t.Error(err)
	}
	if err := c.Save("curves.gif"); err == nil || !strings.Contains(err.Error(), ".png or .svg") {
		t.Errorf("a gif: %v", err)
	}
}

func TestPairs(t *testing.T) {
	p := Pairs{Title: "put", Rows: "from PE", Columns: "to PE", Values: [][]float64{{0, 381.5}, {379.25, 0}}}
	text := drawn(t, p.Save, "pairs.svg")
	for _, want := range []string{"from PE", "to PE", "381.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in the picture", want)
		}
	}
}

func drawn(t *testing.T, save func(string) error, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := save(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(text))
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 8: "8", 1000: "1000", 1024: "1K", 1536: "1536", 3 << 20: "3M", 1 << 30: "1G", 1 << 40: "1024G"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
