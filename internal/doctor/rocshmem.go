package doctor

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goshmem/goshmem/internal/info"
)

// Stack is what the rocSHMEM engine stands on: what programs of a machine print, and what
// files it has. A program or file that is not there is "".
type Stack struct {
	Env     map[string]string
	OpenMPI string // ompi_info --parsable
	UCX     string // ucx_info -v -d
	Home    string // where rocSHMEM is installed
	Config  string // its rocshmem_config.h
	Archive string // its librocshmem.a
	Bitcode []string
	Shim    info.Library
}

// Layer is one row about it.
type Layer struct {
	Name     string   `json:"name"`
	Seen     string   `json:"seen"`
	Severity Severity `json:"severity,omitempty"` // "": it is in order
	Why      string   `json:"why,omitempty"`
	Fix      string   `json:"fix,omitempty"`
}

// ReadStack looks below a root, "/" for this machine. run returns what a program prints.
func ReadStack(root string, environ []string, shim info.Library, run func(program string, args ...string) string) Stack {
	s := Stack{Env: parseEnviron(environ), Shim: shim}
	s.OpenMPI, s.UCX = run("ompi_info", "--parsable"), run("ucx_info", "-v", "-d")
	for _, home := range []string{s.Env["ROCSHMEM_HOME"], s.Env["ROCM_PATH"], "/opt/rocm"} {
		if s.Home == "" && home != "" {
			s.look(root, home)
		}
	}
	return s
}

// look takes a folder for the home if rocSHMEM is in it.
func (s *Stack) look(root, home string) {
	for _, lib := range []string{"lib", "lib64"} {
		archive := filepath.Join(home, lib, "librocshmem.a")
		if _, err := os.Stat(filepath.Join(root, archive)); err != nil {
			continue
		}
		s.Home, s.Archive = home, archive
		s.Config = text(root, filepath.Join(home, "include/rocshmem/rocshmem_config.h"))
		for _, name := range entries(root, filepath.Join(home, lib)) {
			if gpu, ok := strings.CutPrefix(name, "librocshmem_device_"); ok && strings.HasSuffix(gpu, ".bc") {
				s.Bitcode = append(s.Bitcode, strings.TrimSuffix(gpu, ".bc"))
			}
		}
		return
	}
}

// Layers judges all of it, from the bottom.
func (s Stack) Layers() []Layer {
	return []Layer{s.openMPI(), s.ucx(), s.library(), s.gpus(), s.shim(), s.backend()}
}

// ro says how much what only the RO backend needs matters here.
func (s Stack) ro() Severity {
	if strings.EqualFold(s.Env[backendVar], "ro") || slices.Equal(s.backends(), []string{"ro"}) {
		return Error
	}
	return Note
}

const needsMPI = "the RO backend goes through MPI, and a library without ROCm cannot reach GPU memory; IPC and GDA do without"

func (s Stack) openMPI() Layer {
	l := Layer{Name: "Open MPI", Severity: s.ro(), Why: needsMPI, Fix: "install Open MPI 5.0 built with --with-rocm and --with-ucx, and put its bin folder into PATH"}
	version := group(s.OpenMPI, `(?m)^ompi:version:full:(\S+)`)
	rocm := regexp.MustCompile(`(?m)^mca:accelerator:rocm:`).MatchString(s.OpenMPI)
	switch {
	case s.OpenMPI == "":
		l.Seen = "there is no ompi_info in PATH"
	case !strings.HasPrefix(version, "5.0."):
		l.Seen = version + ", and rocSHMEM is made for 5.0"
	case !rocm:
		l.Seen = version + " without ROCm"
	default:
		return Layer{Name: l.Name, Seen: version + " with ROCm"}
	}
	return l
}

func (s Stack) ucx() Layer {
	l := Layer{Name: "UCX", Severity: s.ro(), Why: needsMPI, Fix: "install UCX 1.17 or newer built with --with-rocm, and put its bin folder into PATH"}
	version := group(s.UCX, `(?m)^# (?:Library version:|Version) (\S+)`) // the second until 1.13
	copies, peers := strings.Contains(s.UCX, "rocm_copy"), strings.Contains(s.UCX, "rocm_ipc")
	switch {
	case s.UCX == "":
		l.Seen = "there is no ucx_info in PATH"
	case version == "":
		l.Seen = "of unknown version"
	case !atLeast(version, 1, 17):
		l.Seen = version + ", older than 1.17"
	case !copies || !peers:
		l.Seen = version + " without the transports rocm_copy and rocm_ipc"
	default:
		return Layer{Name: l.Name, Seen: version + " with rocm_copy and rocm_ipc"}
	}
	return l
}

func (s Stack) library() Layer {
	l := Layer{Name: "rocSHMEM", Severity: Warning, Why: "the shim is linked from it, and from nothing else", Fix: "install rocSHMEM 3.5 or newer, built with -DCMAKE_POSITION_INDEPENDENT_CODE=ON, and set ROCSHMEM_HOME to where"}
	home := s.Env["ROCSHMEM_HOME"]
	version := group(s.Config, `(?m)^#define ROCSHMEM_VERSION\s+"([^"]*)"`)
	switch {
	case home != "" && s.Home != home:
		l.Severity, l.Seen = Error, fmt.Sprintf("ROCSHMEM_HOME=%s has no lib/librocshmem.a", home)
	case s.Home == "":
		l.Seen = "ROCSHMEM_HOME is not set, and /opt/rocm has none"
	case !atLeast(version, 3, 5):
		l.Seen = fmt.Sprintf("%s in %s, older than 3.5", cmp.Or(version, "of unknown version"), s.Home)
	default:
		return Layer{Name: l.Name, Seen: fmt.Sprintf("%s in %s, built with %s", version, s.Home, cmp.Or(strings.Join(s.backends(), " "), "no backend"))}
	}
	return l
}

// backends are those that the library was built with, in the order in which it looks for them.
func (s Stack) backends() (list []string) {
	for _, b := range []string{"gda", "ro", "ipc"} {
		if group(s.Config, `(?m)^#define (USE_`+strings.ToUpper(b)+`)\b`) != "" {
			list = append(list, b)
		}
	}
	return list
}

func (s Stack) gpus() Layer {
	if len(s.Bitcode) == 0 && s.Home != "" {
		return Layer{Name: "GPUs", Seen: "no librocshmem_device_<gpu>.bc beside " + s.Archive, Severity: Note,
			Why: "the build of the shim takes from them which GPUs to link for; on another one it fails with HIP error 218", Fix: "name them when the shim is built: -DGPU_TARGETS=gfx942"}
	}
	return Layer{Name: "GPUs", Seen: cmp.Or(strings.Join(s.Bitcode, " "), "none, as there is no rocSHMEM")}
}

func (s Stack) shim() Layer {
	if s.Shim.Path != "" && s.Shim.Problem == "" {
		return Layer{Name: "shim", Seen: strings.TrimSpace(s.Shim.Path + " " + s.Shim.Version)}
	}
	return Layer{Name: "shim", Severity: Warning, Seen: strings.TrimPrefix(cmp.Or(s.Shim.Problem, "not found"), "rocshmem: "),
		Why: "engine rocshmem calls the library through it", Fix: "cmake -S native/rocshmem -B build && cmake --build build && cmake --install build --prefix $ROCSHMEM_HOME"}
}

// backend looks at what is asked for, and at what the launcher has left in the environment.
func (s Stack) backend() Layer {
	asked := strings.ToLower(s.Env[backendVar])
	l := Layer{Name: "backend", Severity: Error, Seen: backendVar + "=" + s.Env[backendVar]}
	built := s.backends()
	switch {
	case asked != "" && !slices.Contains([]string{"gda", "ro", "ipc"}, asked):
		l.Seen += " is none of gda, ro and ipc"
		l.Why, l.Fix = "the library takes a part of it, or ignores it", "set it to gda, ro or ipc, or unset it"
	case asked != "" && len(built) > 0 && !slices.Contains(built, asked):
		l.Seen += ", and rocSHMEM was built with " + strings.Join(built, " ")
		l.Why, l.Fix = "the library takes another one without a word, or ends the process", "unset it, or build rocSHMEM with that backend"
	case s.ro() == Error && s.Env["OMPI_COMM_WORLD_SIZE"] == "":
		l.Severity, l.Seen = Note, "RO, and this is not a job of mpirun"
		l.Why, l.Fix = "without MPI the library ends the process", "start the job with mpirun of Open MPI 5.0"
	default:
		return Layer{Name: l.Name, Seen: cmp.Or(asked, "chosen by the library")}
	}
	return l
}

// group is that of a pattern in a text, "" if it is not there.
func group(text, pattern string) string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1]
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, major, minor int) bool {
	parts := append(strings.Split(version, "."), "", "")
	x, _ := strconv.Atoi(parts[0]) // what is no number is old
	y, _ := strconv.Atoi(parts[1])
	return x > major || (x == major && y >= minor)
}

// WorstOf is the severity of the worst layer; "" if all are in order.
func WorstOf(layers []Layer) (worst Severity) {
	for _, l := range layers {
		if l.Severity != "" && (worst == "" || l.Severity.rank() < worst.rank()) {
			worst = l.Severity
		}
	}
	return worst
}

// WriteLayers prints them for a person.
func WriteLayers(out io.Writer, layers []Layer) error {
	var b strings.Builder
	for _, l := range layers {
		fmt.Fprintf(&b, "%-8s %-9s %s\n", cmp.Or(string(l.Severity), "ok"), l.Name, l.Seen)
		if l.Severity != "" {
			fmt.Fprintf(&b, "  why: %s\n  fix: %s\n", l.Why, l.Fix)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
