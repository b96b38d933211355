package ncclperf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/goshmem/goshmem/internal/chart"
)

// Report is a whole measurement.
type Report struct {
	Rank    int // whose report it is; all have the same rows
	Options Options
	Header  Header
	Rows    []Row
	Summary Summary
	Start   time.Time
	End     time.Time
}

// Write prints what comes after the rows.
func (r Report) Write(w io.Writer) error { return r.Summary.write(w, r.Options.Test) }

// document is the report in nccl-tests' schema of JSON.
type document struct {
	Version string            `json:"version"`
	Start   string            `json:"start_time"`
	End     string            `json:"end_time"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Library string            `json:"library"`
	NCCL    int               `json:"nccl_version"`
	Config  config            `json:"config"`
	Results []Row             `json:"results"`
	Out     verdict           `json:"out_of_bounds"`
	Average average           `json:"average_bus_bandwidth"`
}

type config struct {
	Threads  int      `json:"nthreads"`
	GPUs     int      `json:"ngpus"`
	Min      int64    `json:"minimum_bytes"`
	Max      int64    `json:"maximum_bytes"`
	Factor   int64    `json:"step_factor,omitempty"`
	Step     int64    `json:"step_bytes,omitempty"`
	Warmup   int      `json:"warmup_iters"`
	Iters    int      `json:"iterations"`
	Agg      int      `json:"aggregated_iterations"`
	Check    int      `json:"validation"`
	Graph    int      `json:"graph"`
	Blocking bool     `json:"blocking_collectives"`
	Blocks   bool     `json:"blocking_communicators"`
	Devices  []device `json:"devices"`
}

type device struct {
	Rank  int    `json:"rank"`
	Group int    `json:"group"`
	Pid   int    `json:"pid"`
	Host  string `json:"hostname"`
	Name  string `json:"device"`
	Bus   string `json:"device_hex"`
	Info  string `json:"device_info"`
}

type verdict struct {
	Count int64 `json:"count"`
	Okay  *bool `json:"okay"` // null: nothing was checked
}

type average struct {
	Bandwidth float64 `json:"bandwidth"`
	Okay      string  `json:"okay"`
}

// schema is the version of nccl-tests' JSON that the fields have.
const schema = "3"

func (r Report) document() document {
	o := r.Options
	d := document{
		Version: schema, Start: r.Start.UTC().Format(time.RFC3339), End: r.End.UTC().Format(time.RFC3339),
		Args: os.Args, Env: telling(os.Environ()), Library: r.Header.Library, NCCL: r.Header.Version, Results: r.Rows,
		Config: config{Threads: 1, GPUs: o.GPUs, Min: o.MinBytes, Max: o.MaxBytes, Factor: o.Factor, Step: o.StepBytes,
			Warmup: o.Warmup, Iters: o.Iters, Agg: o.Aggregate, Check: o.Check, Graph: o.Graph, Blocking: o.Blocking, Blocks: o.Blocks},
		Out: verdict{Count: r.Summary.Wrong}, Average: average{r.Summary.Average, "unchecked"},
	}
	if o.Factor > 0 {
		d.Config.Step = 0
	}
	if r.Summary.Checked {
		okay := r.Summary.Wrong == 0
		d.Out.Okay = &okay
	}
	for _, p := range r.Header.Ranks {
		d.Config.Devices = append(d.Config.Devices, device{p.Rank, 0, p.Pid, p.Host, p.Device, p.Bus, p.Called})
	}
	return d
}

// telling are the variables that say something of the measurement. Others, which may be
// secrets, stay out.
func telling(environ []string) map[string]string {
	found := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		for _, prefix := range []string{"NCCL_", "RCCL_", "GOSHMEM_", "CUDA_VISIBLE_", "HIP_VISIBLE_", "ROCR_VISIBLE_"} {
			if strings.HasPrefix(name, prefix) && !strings.Contains(name, "TOKEN") {
				found[name] = value
			}
		}
	}
	return found
}

// SaveJSON writes the report to a file. If there is one it takes the first free name with
// a number behind, as nccl-tests does, and returns the name.
func (r Report) SaveJSON(name string) (string, error) {
	if !strings.HasSuffix(name, ".json") {
		return "", fmt.Errorf("%s: the name must end in .json", name)
	}
	text, err := json.MarshalIndent(r.document(), "", " ")
	if err != nil {
		return "", err
	}
	for i, try := 0, name; ; i++ {
		f, err := os.OpenFile(try, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			try = fmt.Sprintf("%s.%d", name, i)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(append(text, '\n'))
		return try, errors.Join(err, f.Close())
	}
}

// SaveCurves draws the bandwidth of the bus over the size: of the first type, operation
// and root that were measured.
func (r Report) SaveCurves(file string) error {
	if len(r.Rows) == 0 {
		return fmt.Errorf("draw %s: nothing was measured", file)
	}
	first := r.Rows[0]
	out, in := chart.Line{Name: "out-of-place"}, chart.Line{Name: "in-place"}
	var sizes []int64
	for _, row := range r.Rows {
		if row.Type != first.Type || row.Op != first.Op || row.Root != first.Root {
			continue
		}
		sizes = append(sizes, row.Size)
		out.Values = append(out.Values, row.OutOfPlace.BusBW)
		if row.InPlace != nil {
			in.Values = append(in.Values, row.InPlace.BusBW)
		}
	}
	lines := []chart.Line{out}
	if len(in.Values) == len(sizes) {
		lines = append(lines, in)
	}
	title := fmt.Sprintf("%s, %s, %d ranks, %s", r.Options.Test, first.Type, len(r.Header.Ranks), r.Header.Library)
	return chart.Curves{Title: title, Unit: "bus bandwidth, GB/s", Sizes: sizes, Lines: lines}.Save(file)
}
