package launch

import (
	"strconv"
	"strings"
)

// vars is an environment. A variable with an empty value counts as not set,
// which is how people unset one for a single command.
type vars map[string]string

// parseVars reads "NAME=value" lines; of two lines for one name the later wins,
// as when a process is started.
func parseVars(environ []string) vars {
	v := make(vars, len(environ))
	for _, line := range environ {
		name, value, ok := strings.Cut(line, "=")
		if ok {
			v[name] = value
		}
	}
	return v
}

// first is the first of names that is set, "" if none is.
func (v vars) first(names ...string) string {
	for _, name := range names {
		if v[name] != "" {
			return name
		}
	}
	return ""
}

// number reads the first of names that is set; -1: none is.
func (v vars) number(names ...string) (int, error) {
	name := v.first(names...)
	if name == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(v[name])
	if err != nil {
		return -1, v.wrong(name, "not a whole number")
	}
	if n < 0 {
		return -1, v.wrong(name, "negative")
	}
	return n, nil
}

// wrong is the error about a variable.
func (v vars) wrong(name, reason string) error {
	return &EnvError{Var: name, Value: v[name], Reason: reason}
}
