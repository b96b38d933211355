package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goshmem/goshmem/internal/env"
	"github.com/goshmem/goshmem/internal/info"
	"github.com/goshmem/goshmem/internal/mask"
)

func jobChecks() []Check {
	same := func(topic string) func([]Answer) []Sight {
		return func(all []Answer) []Sight { return differing(all, topic) }
	}
	return []Check{
		{ID: "job.meet", Severity: Error, anywhere: true, Looks: "the processes of the job cannot meet",
			Why: "no world can start; only what this process sees is reported",
			Fix: "see the message; GOSHMEM_RDZV=tcp:host:port says where to meet, host being where rank 0 runs"},
		{ID: "job.variables", Severity: Warning, anywhere: true, Looks: "a variable differs between the processes",
			Why: "processes with other settings choose other algorithms, interfaces or heaps: they fail, or wait for each other",
			Fix: "set it for all: goshmem run --env, mpirun -x, srun --export", compare: same(topicVariable)},
		{ID: "job.libraries", Severity: Warning, anywhere: true, Looks: "version or path of a vendor library differs between the processes",
			Why: "versions need not understand each other: a start fails or hangs",
			Fix: "install the same version everywhere, and set LD_LIBRARY_PATH alike", compare: same(topicLibrary)},
		{ID: "job.builds", Severity: Warning, anywhere: true, Looks: "the processes run different versions of goshmem",
			Why: "versions need not understand each other", Fix: "copy one program to all machines", compare: same(topicBuild)},
		{ID: "job.limits", Severity: Warning, anywhere: true, Looks: "a limit differs between the processes",
			Why: "the process with the lowest one fails first, and the others wait for it",
			Fix: "start all of them the same way: limits of a login are not those of a service", compare: same(topicLimit)},
		{ID: "job.kernels", Severity: Note, anywhere: true, Looks: "the machines run different kernels",
			Why: "what works on one may be refused on the other", Fix: "update them together", compare: same(topicKernel)},
		{ID: "job.samecore", Severity: Warning, anywhere: true, Looks: "several processes of a machine are bound to the same single core",
			Why: "only one of them runs at a time, and the others wait for it",
			Fix: "mpirun --bind-to none, srun --cpu-bind=none, or fewer processes", compare: sameCore},
		{ID: "job.cores", Severity: Note, anywhere: true, Looks: "the processes may use different numbers of cores",
			Why: "the ones with few are late at every barrier", Fix: "bind all of them alike, or none", compare: unevenCores},
		{ID: "job.oversubscribed", Severity: Note, anywhere: true, Looks: "a machine has more processes of the job than cores that they may use",
			Why: "processes take turns: every barrier waits until each had its turn, and figures of speed mean little",
			Fix: "start at most as many processes as there are cores", compare: oversubscribed},
		{ID: "job.samedevice", Severity: Warning, anywhere: true, Looks: "several processes of a machine see one and the same device",
			Why: "NCCL refuses two ranks on one device, and they share its speed and memory",
			Fix: "give each its own by its local rank", compare: sameDevice},
		{ID: "job.masks", Severity: Note, anywhere: true, Looks: "the processes see different numbers of devices",
			Why: "a program that takes the device of its local rank finds it in some of them only",
			Fix: "set the masks alike: all devices for all, or one for each", compare: unevenMasks},
	}
}

// Compare finds what differs between the processes of a job.
func Compare(all []Answer) []Finding {
	var list []Finding
	for _, c := range Checks() {
		if c.compare != nil {
			list = append(list, c.findings(c.compare(all))...)
		}
	}
	return list
}

// same says which variables should be the same everywhere: ours and the vendors',
// not those by which launchers number their processes, and not masks, which have
// checks of their own.
func same(name string) bool {
	numbers := []string{env.Rank, env.LocalRank, env.LocalSize, "RANK", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "JOB_COMPLETION_INDEX"}
	if slices.Contains(numbers, name) || slices.Contains(mask.Names(), name) {
		return false
	}
	return !slices.ContainsFunc([]string{"OMPI_", "PMI_", "PMIX_", "HYDI_", "SLURM_", "TORCHELASTIC_"}, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	})
}

// differing is one sight for each fact of a topic that not all say alike.
func differing(all []Answer, topic string) []Sight {
	names := map[string]bool{}
	for _, a := range all {
		for key := range a.Facts {
			if name, ok := strings.CutPrefix(key, topic); ok {
				names[name] = true
			}
		}
	}
	var list []Sight
	for _, name := range sortedKeys(names) {
		if said := groups(all, func(a Answer) string { return orUnset(a.Facts, topic+name) }); len(said) > 1 {
			list = append(list, see("%s: %s", name, listing(said)))
		}
	}
	return list
}

func orUnset(facts map[string]string, key string) string {
	if value, ok := facts[key]; ok {
		return value
	}
	return "none"
}

// groups sorts ranks by what they say.
func groups(all []Answer, say func(Answer) string) map[string][]int {
	said := map[string][]int{}
	for _, a := range all {
		said[say(a)] = append(said[say(a)], a.Rank)
	}
	return said
}

// listing is "x (rank 0), y (ranks 1-3)", by first rank.
func listing(said map[string][]int) string {
	keys := slices.SortedFunc(maps.Keys(said), func(a, b string) int { return said[a][0] - said[b][0] })
	var parts []string
	for _, k := range keys {
		parts = append(parts, fmt.Sprintf("%s (%s)", k, rankList(said[k])))
	}
	return strings.Join(parts, ", ")
}

func rankList(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("rank %d", ranks[0])
	}
	return "ranks " + ranges(ranks)
}

func sameCore(all []Answer) []Sight {
	return shared(all, func(a Answer) string {
		if cores := info.ParseList(a.Facts[factCores]); len(cores) == 1 {
			return "core " + a.Facts[factCores]
		}
		return ""
	})
}

// shared finds processes of one machine that have the same single thing, which is
// "" for those that have several.
func shared(all []Answer, thing func(Answer) string) []Sight {
	said := groups(all, func(a Answer) string { return thing(a) + " of " + a.Host })
	var list []Sight
	for _, key := range sortedKeys(said) {
		if ranks := said[key]; len(ranks) > 1 && !strings.HasPrefix(key, " of ") {
			list = append(list, see("%s: %s", key, rankList(ranks)))
		}
	}
	return list
}

func unevenCores(all []Answer) []Sight {
	said := groups(all, func(a Answer) string { return plural(len(info.ParseList(a.Facts[factCores])), "core") })
	return seeIf(len(said) > 1, "%s", listing(said))
}

// oversubscribed leaves processes with a single core to sameCore.
func oversubscribed(all []Answer) []Sight {
	var list []Sight
	hosts := map[string][]Answer{}
	for _, a := range all {
		hosts[a.Host] = append(hosts[a.Host], a)
	}
	for _, host := range sortedKeys(hosts) {
		cores := map[int]bool{}
		bound := false
		for _, a := range hosts[host] {
			own := info.ParseList(a.Facts[factCores])
			bound = bound || len(own) < 2
			for _, c := range own {
				cores[c] = true
			}
		}
		list = append(list, seeIf(!bound && len(hosts[host]) > len(cores), "%s on %s of %s", processes(len(hosts[host])), plural(len(cores), "core"), host)...)
	}
	return list
}

func sameDevice(all []Answer) []Sight {
	return shared(all, func(a Answer) string {
		for _, name := range mask.Names() {
			if value := a.Facts[topicMask+name]; value != "" && !strings.Contains(value, ",") {
				return name + "=" + value
			}
		}
		return ""
	})
}

func unevenMasks(all []Answer) []Sight {
	var list []Sight
	for _, name := range mask.Names() {
		said := groups(all, func(a Answer) string {
			if value, set := a.Facts[topicMask+name]; set {
				return plural(len(strings.Split(value, ",")), "device")
			}
			return "not set"
		})
		list = append(list, seeIf(len(said) > 1, "%s: %s", name, listing(said))...)
	}
	return list
}
