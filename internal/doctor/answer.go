package doctor

import (
	"fmt"

	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/internal/mask"
)

// Answer is what a process of a job says about itself.
type Answer struct {
	Rank     int               `json:"rank"`
	Host     string            `json:"host"`
	Facts    map[string]string `json:"facts"` // by topic and name, such as "limit open files"
	Findings []Finding         `json:"findings"`
}

// The topics of facts: the first word of their keys.
const (
	topicVariable = "variable "
	topicLibrary  = "library "
	topicLimit    = "limit "
	topicBuild    = "build "
	topicMask     = "mask "
	topicKernel   = "kernel "
	factCores     = "cores"
)

// Ask makes the answer of this process.
func Ask(m *Machine) Answer {
	a := Answer{Rank: m.Launch.Rank, Host: m.System.Host, Findings: Diagnose(m), Facts: map[string]string{
		factCores:                                  m.System.AllowedCores,
		topicBuild + "goshmem":                     info.ThisBuild().String(),
		topicKernel + "release":                    m.System.Kernel,
		topicLimit + "open files":                  info.Count(m.System.OpenFiles.Soft),
		topicLimit + "locked memory":               info.Size(m.System.Locked.Soft),
		topicLimit + "memory of the control group": info.Size(m.System.Cgroup),
	}}
	for _, v := range info.Variables(m.Lines) {
		if same(v.Name) {
			a.Facts[topicVariable+v.Name] = v.Value
		}
	}
	for _, name := range mask.Names() {
		if value := m.Env[name]; value != "" {
			a.Facts[topicMask+name] = value
		}
	}
	for _, l := range m.Libraries {
		if l.Path != "" {
			a.Facts[topicLibrary+l.Name] = fmt.Sprintf("%s (%s)", l.Version, l.Path)
		}
	}
	return a
}
