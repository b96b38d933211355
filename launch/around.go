package launch

import "slices"

// Around says which launcher of others started this process, as which of how many, for a
// program that is itself a launcher: Family, Rank and Size of the job count, Size 0 is not
// known, and Family is "none" if there is none, or if this is a rank of our own launcher,
// which does not start launchers.
func Around(environ []string) (Job, error) {
	v := parseVars(environ)
	all := families()
	i := slices.IndexFunc(all, func(f family) bool { return f.seen(v) })
	if i < 0 || all[i].name == "goshmem" {
		return Job{Family: "none", Size: 1}, nil
	}
	f := all[i]
	j := Job{Family: f.name}
	var err error
	if v.first(f.size...) == "" && v.first(f.rank...) != "" {
		j.Rank, err = v.number(f.rank...)
		return j, err
	}
	j.Rank, j.Size, err = pair(v, f.rank, f.size)
	return j, err
}
