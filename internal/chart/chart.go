// Package chart draws measurements into files: curves over sizes, and maps of pairs.
package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-analyze/charts"
)

// Curves are lines over sizes.
type Curves struct {
	Title string
	Unit  string // of the values
	Sizes []int64
	Lines []Line
}

// Line is one of the curves: a value for each size.
type Line struct {
	Name   string
	Values []float64
}

// most is how many sizes are named on the axis, so that they do not collide.
const most = 9

// Save draws the curves into a file, as its name says: .png or .svg.
func (c Curves) Save(file string) error {
	return save(file, func(p *charts.Painter) error {
		var values [][]float64
		var names []string
		for _, l := range c.Lines {
			values, names = append(values, l.Values), append(names, l.Name)
		}
		o := charts.NewLineChartOptionWithData(values)
		o.Title.Text, o.Legend.SeriesNames = c.Title, names
		o.Legend.Offset = charts.OffsetStr{Top: "24"}
		o.YAxis[0].Title = c.Unit
		o.XAxis.Labels = nil
		for _, n := range c.Sizes {
			o.XAxis.Labels = append(o.XAxis.Labels, Bytes(n))
		}
		o.XAxis.LabelCount = min(most, len(c.Sizes))
		return p.LineChart(o)
	})
}

// Pairs is a value for each of two ranks, or whatever rows and columns are.
type Pairs struct {
	Title, Rows, Columns string
	Values               [][]float64 // by row
}

// Save draws the map into a file, as its name says: .png or .svg.
func (c Pairs) Save(file string) error {
	return save(file, func(p *charts.Painter) error {
		o := charts.NewHeatMapOptionWithData(c.Values)
		o.Title.Text, o.YAxis.Title, o.XAxis.Title = c.Title, c.Rows, c.Columns
		o.ValuesLabel.Show = charts.Ptr(true)
		return p.HeatMapChart(o)
	})
}

// save draws something into a file.
func save(file string, draw func(*charts.Painter) error) error {
	kind := strings.TrimPrefix(filepath.Ext(file), ".")
	if kind != charts.ChartOutputPNG && kind != charts.ChartOutputSVG {
		return fmt.Errorf("draw %s: name it .png or .svg", file)
	}
	p := charts.NewPainter(charts.PainterOptions{OutputFormat: kind, Width: 900, Height: 500})
	if err := draw(p); err != nil {
		return fmt.Errorf("draw %s: %w", file, err)
	}
	picture, err := p.Bytes()
	if err != nil {
		return fmt.Errorf("draw %s: %w", file, err)
	}
	return os.WriteFile(file, picture, 0o666)
}

// Bytes is a size as people write it: 8, 64K, 1M.
func Bytes(n int64) string {
	unit := ""
	for _, next := range []string{"K", "M", "G"} {
		if n < 1024 || n%1024 != 0 {
			break
		}
		n, unit = n/1024, next
	}
	return fmt.Sprintf("%d%s", n, unit)
}
