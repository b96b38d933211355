package doctor

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// kind is how a library names what it leaves, what that is and where it lies. A
// name alone proves little, and what is wrongly listed may be somebody's work.
type kind struct {
	library string
	name    *regexp.Regexp // the group, if there is one, is the process that made it
	shm     bool           // only directly in the shared memory file system
	random  bool           // it ends with six random characters
	session bool           // a session folder; everything else is a regular file
	under   *regexp.Regexp // for folders that hold one session folder per job: the inner name
}

// Parts of names. The number of an Open MPI job is a hash above 16 bits of which
// the upper eight stay zero until a program has started hundreds of others.
const (
	host   = `[A-Za-z0-9][\w.-]*`
	jobTag = `[0-9a-f]{1,4}00[0-9a-f]{2}`
)

// kinds is a table. The names are those in the sources of UCX (mm_posix.c), MPICH
// (the templates of its shared segments), NCCL (shmutils.cc), libfabric (sm2, psm2
// and psm3), NVSHMEM's test scripts, Open MPI (btl vader and sm; its session
// folders as seen with 4.1) and PyTorch (the handles of its shared storage).
func kinds() []kind {
	whole := func(name string) *regexp.Regexp { return regexp.MustCompile("^(?:" + name + ")$") }
	shm := func(library, name string) kind { return kind{library: library, name: whole(name), shm: true} }
	session := func(name, under string) kind {
		k := kind{library: "Open MPI", name: whole(name), session: true}
		if under != "" {
			k.under = whole(under)
		}
		return k
	}
	nccl := shm("NCCL", `nccl-[0-9A-Za-z]{6}`)
	nccl.random = true
	return []kind{
		{library: "Open MPI", name: whole(`vader_segment\.` + host + `\.` + jobTag + `\.\d+`)},
		{library: "Open MPI", name: whole(`sm_segment\.` + host + `\.\d+\.` + jobTag + `\.\d+`)},
		session(`ompi\.`+host+`\.\d+`, `pid\.(\d+)|jf\.\d+`),
		session(`prte\.`+host+`\.\d+`, `dvm\.(\d+)`),
		session(`ompi\.(\d+)`, ""),
		session(`openmpi-sessions-[\w.-]+@`+host+`_\d+`, ""),
		shm("libfabric", `fi_sm2_mmaps`),
		shm("libfabric", `psm[23]_shm\.\d+[0-9a-f]{16}\d+`),
		shm("libfabric", `psm3_shm\.\d+\.0x[0-9a-f]+(?::[0-9a-f]+){2}\.\d+`),
		shm("libfabric", `psm3_nic_affinity_shm\.-?\d+|sem\.psm3_nic_affinity_shm_rw_mutex\.-?\d+`),
		nccl,
		shm("NVSHMEM", `nvshmem-shm[-.]?\d+`),
		shm("UCX", `ucx_shm_posix_[0-9a-f]{6,16}`),
		shm("PyTorch", `torch_(\d+)_\d+(?:_\d+)?`),
		shm("MPICH", `mpich_shar_tmp[0-9A-Za-z]{6}`),
	}
}

// match returns the name and its group, or nil.
func (k kind) match(root, place, name string) []string {
	found := k.name.FindStringSubmatch(name)
	if found == nil || (k.random && !mixed(name[len(name)-6:])) || (k.shm && !isShm(root, place)) {
		return nil
	}
	return found
}

// mixed says whether characters look random. A few random ones do not, and are
// missed; a word, a number or a word in capitals never does.
func mixed(s string) bool {
	return strings.ContainsFunc(s[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) &&
		strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// isShm says whether a place is the shared memory file system, by whatever path.
func isShm(root, place string) bool {
	here, err := os.Stat(filepath.Join(root, place))
	shm, shmErr := os.Stat(filepath.Join(root, "dev/shm"))
	return err == nil && shmErr == nil && os.SameFile(here, shm)
}

// fits says whether a file is what the kind stands for. A link never is.
func (k kind) fits(self fs.FileInfo) bool {
	if k.session {
		return self.IsDir()
	}
	return self.Mode().IsRegular()
}

// inSession are the names that Open MPI and PMIx give to folders and to files in a
// session folder.
func inSession() (folders, files *regexp.Regexp) {
	segment := `(?:vader|sm)_segment\.` + host + `\.[0-9a-f]+\.\d+|shared_(?:mem_pool|mem_cuda_pool|window_\d+)\.` + host
	pmix := `pmix[-_.][\w.@:-]+`
	store := `(?:initial-pmix_shared-segment|smlockseg|smdataseg|smseg)-[\w.@-]*\d|dstore_sm\.lock`
	return regexp.MustCompile(`^(?:\d+|` + pmix + `)$`),
		regexp.MustCompile(`^(?:contact\.txt|hwloc\.sm|debugger_attach_fifo|` + segment + `|` + pmix + `|` + store + `)$`)
}
