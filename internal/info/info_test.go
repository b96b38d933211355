package info

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goshmem/goshmem/internal/abi"
	"github.com/goshmem/goshmem/internal/engine"
	"github.com/goshmem/goshmem/internal/env"
)

// probeVar makes the test binary the process that loads libraries: its value says
// how it behaves. The names follow as arguments.
const probeVar = "INFO_TEST_PROBE"

func TestMain(m *testing.M) {
	behaviour := os.Getenv(probeVar)
	if behaviour == "" {
		os.Exit(m.Run())
	}
	names := os.Args[1:]
	if i := slices.Index(names, "nvshmem"); i >= 0 && behaviour != "good" {
		if err := ServeProbe(os.Stdout, names[:i]); err != nil {
			os.Exit(4)
		}
		fmt.Fprintln(os.Stderr, "constructor: boom")
		if behaviour == "hangs" {
			time.Sleep(time.Hour)
		}
		os.Exit(3)
	}
	fmt.Print("a constructor prints without a newline")
	if err := ServeProbe(os.Stdout, names); err != nil {
		os.Exit(4)
	}
	os.Exit(0)
}

// prober starts this test binary with a behaviour, and counts.
func prober(t *testing.T, behaviour string, started *int) Prober {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, names []string) *exec.Cmd {
		*started++
		c := exec.CommandContext(ctx, self, names...)
		c.Env = append(os.Environ(), probeVar+"="+behaviour)
		return c
	}
}

type fakeEngine struct {
	name string
	engine.Verdict
}

func (f fakeEngine) Name() string          { return f.name }
func (f fakeEngine) Probe() engine.Verdict { return f.Verdict }
func (f fakeEngine) Open(context.Context, engine.Job) (engine.Heap, error) {
	return nil, fmt.Errorf("%s is not a real engine", f.name)
}

// gather collects everything with two engines and a clean environment.
func gather(t *testing.T) *Info {
	t.Helper()
	started := 0
	return Gather(t.Context(), Options{
		Engines: []engine.Engine{fakeEngine{"swift", engine.Verdict{OK: true, Reason: "it is here"}}, fakeEngine{"absent", engine.Verdict{Reason: "no device"}}},
		Launch:  Launch{Family: "goshmem", Rank: 2, Size: 4, Outer: []string{"slurm"}},
		Probe:   prober(t, "good", &started),
	})
}

func TestJSONRoundTrip(t *testing.T) {
	i := gather(t)
	text, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	var back Info
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&back, i) {
		t.Errorf("JSON changes it:\n%+v\n%+v", i, back)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	if fields["schema"] != float64(Schema) {
		t.Errorf("schema is %v", fields["schema"])
	}
	for _, list := range []string{"engines", "libraries", "devices", "variables", "foreign", "warnings"} {
		if _, ok := fields[list].([]any); !ok {
			t.Errorf("%s is %v, want a list even when it is empty", list, fields[list])
		}
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	secrets := map[string]string{
		env.Token:                               "swordfish-1",
		"SLURM_JWT":                             "swordfish-2",
		"NCCL_ENCRYPTION_KEY":                   "swordfish-3",
		"OMPI_MCA_orte_precondition_transports": "swordfish-4",
		"PMIX_AUTH_CREDENTIAL":                  "swordfish-5",
	}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	t.Setenv("NCCL_DEBUG", "plain-value")
	i := gather(t)
	text, err := json.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := i.WriteText(&b, true); err != nil {
		t.Fatal(err)
	}
	for form, all := range map[string]string{"JSON": string(text), "text": b.String()} {
		if strings.Contains(all, "swordfish") {
			t.Errorf("%s shows a secret:\n%s", form, all)
		}
		for name := range secrets {
			if !strings.Contains(all, name) {
				t.Errorf("%s hides that %s is set", form, name)
			}
		}
		if !strings.Contains(all, "plain-value") {
			t.Errorf("%s hides what is no secret", form)
		}
	}
}

func TestTextShowsWhatMatters(t *testing.T) {
	t.Setenv(env.HeapSize, "64MiB")
	t.Setenv(env.Engine, "absent-minded")
	t.Setenv(env.Timeout, "abc")
	t.Setenv(env.NodeSize, "0")
	t.Setenv(env.Checked, "maybe")
	i := gather(t)
	i.Libraries = []Library{
		{Name: "ucx", Path: "/lib/libucp.so.0", Version: "1.13.1"},
		{Name: "cuda", Problem: "cuda: libcuda.so.1 not found (tried libcuda.so.1, /some/place); it comes with the driver"},
	}
	var b strings.Builder
	if err := i.WriteText(&b, false); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{Version, "swift", "can run", "cannot run", "no device", "rank 2 of 4 (inside slurm)",
		"1.13.1", "/lib/libucp.so.0", "libcuda.so.1 not found; it comes with the driver", env.HeapSize, "64MiB", env.Token,
		"GOSHMEM_ENGINE=absent-minded: not an engine: there is swift, absent\n", "GOSHMEM_TIMEOUT=abc: not a positive duration such as 30s or 5m\n",
		"GOSHMEM_NODE_SIZE=0: not a number of PEs\n", "GOSHMEM_CHECK=maybe: neither 0 nor 1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "/some/place") {
		t.Errorf("places are only for the verbose form:\n%s", text)
	}
}

// TestMachines: whether a job can leave the machine hangs on UCX.
func TestMachines(t *testing.T) {
	for want, l := range map[Machines]Library{
		{OK: true, Reason: "by UCX 1.15.0"}:                                                  {Name: "ucx", Version: "1.15.0", Path: "/u"},
		{Reason: "UCX: /u is version 1.12.1, and 1.13 or a later 1.x is needed"}:             {Name: "ucx", Version: "1.12.1", Path: "/u"},
		{Reason: "UCX: libucp.so.0 not found; the distribution's package is libucx0 or ucx"}: {Name: "ucx", Problem: "ucx: libucp.so.0 not found (tried /u); the distribution's package is libucx0 or ucx"},
		{Reason: "UCX: /u: file too short; the distribution's package is libucx0 or ucx"}:    {Name: "ucx", Problem: "ucx: /u: file too short; the distribution's package is libucx0 or ucx"},
		{Reason: "UCX was not looked for"}:                                                   {Name: "other"},
	} {
		if got := machines([]Library{l}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func names(list []Library) []string {
	var all []string
	for _, l := range list {
		all = append(all, l.Name)
	}
	return all
}

func known() []string {
	var all []string
	for _, s := range abi.All() {
		all = append(all, s.Name)
	}
	return all
}

func TestLibrariesInOneProcess(t *testing.T) {
	started := 0
	list := prober(t, "good", &started).Libraries(t.Context())
	if started != 1 || !slices.Equal(names(list), known()) {
		t.Errorf("%d processes gave %v, want 1 and %v", started, names(list), known())
	}
	for _, l := range list {
		if l.Report == nil || (l.Path == "") == (l.Problem == "") {
			t.Errorf("%+v", l)
		}
	}
}

// One library kills whoever loads it: the others are still told about, and it is
// named with what its process said.
func TestLibraryThatCrashes(t *testing.T) {
	started := 0
	list := prober(t, "crashes", &started).Libraries(t.Context())
	if !slices.Equal(names(list), known()) {
		t.Fatalf("libraries %v", names(list))
	}
	for _, l := range list {
		crashed := strings.Contains(l.Problem, "exit status 3: constructor: boom")
		if crashed != (l.Name == "nvshmem") {
			t.Errorf("%s: problem %q", l.Name, l.Problem)
		}
	}
	rest := len(known()) - slices.Index(known(), "nvshmem")
	if started != 1+rest {
		t.Errorf("%d processes, want one for all and %d for those that it did not reach", started, rest)
	}
}

func TestLibraryThatHangsEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := 0
	p := prober(t, "hangs", &started)
	watched := func(ctx context.Context, names []string) *exec.Cmd {
		time.AfterFunc(300*time.Millisecond, cancel)
		return p(ctx, names)
	}
	_, err := Prober(watched).probe(ctx, known())
	if err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("error %v", err)
	}
}

func TestTornProbeOutput(t *testing.T) {
	whole := mark + `{"name":"a"}` + "\n" + mark + `{"name":"b"}` + "\n"
	for text, want := range map[string]int{
		whole:                                2,
		"noise\n" + whole + "noise":          2,
		whole[:len(whole)-4]:                 1,
		mark + `{"name":"b"}` + "\n" + whole: 0,
		"":                                   0,
		strings.ReplaceAll(whole, mark, "other:"): 0,
	} {
		if got := parseProbe(strings.NewReader(text), []string{"a", "b"}); len(got) != want {
			t.Errorf("%q gives %v, want %d", text, names(got), want)
		}
	}
}

func TestServeProbeRefusesUnknownNames(t *testing.T) {
	var b strings.Builder
	if err := ServeProbe(&b, []string{"nosuch"}); err == nil || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("error %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		info Info
		want string
	}{
		{"bound", Info{System: System{Cores: 8, MaxProcs: 1, Memfd: true}}, "GOMAXPROCS is 1"},
		{"one core", Info{System: System{Cores: 1, MaxProcs: 1, Memfd: true}}, ""},
		{"no memfd", Info{Build: Build{OS: "linux"}, System: System{Cores: 2, MaxProcs: 2}}, "memfd"},
		{"no memfd elsewhere", Info{Build: Build{OS: "darwin"}, System: System{Cores: 2, MaxProcs: 2}}, ""},
		{"launch", Info{Launch: Launch{Problem: "WORLD_SIZE is not set"}, System: System{Memfd: true}}, "WORLD_SIZE"},
	} {
		got := strings.Join(c.info.warn(), "\n")
		if (c.want == "" && got != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.want)
		}
	}
	t.Setenv("GOSHMEM_HEPA_SIZE", "1")
	if got := (&Info{System: System{Memfd: true}}).warn(); len(got) != 1 || !strings.Contains(got[0], "GOSHMEM_HEPA_SIZE") {
		t.Errorf("a mistyped variable gives %q", got)
	}
}

// tree makes files below a new root.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 30: "1 GiB", Unlimited: "unlimited"} {
		if got := Size(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}
