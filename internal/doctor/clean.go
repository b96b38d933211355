package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Cleaner deletes what FindLeftovers calls unused, if it belongs to one user.
type Cleaner struct {
	Root     string   // "/"
	Places   []string // where to look, below Root
	UID      int      // whose files may be deleted
	Confined bool     // what Confined says: then nothing is surely unused
}

// List returns what may be deleted, and what is left alone.
func (c Cleaner) List() (unused, kept []Leftover) {
	for _, l := range FindLeftovers(c.Root, c.Places, c.UID, c.Confined) {
		if l.State == Unused && l.UID == c.UID {
			unused = append(unused, l)
		} else {
			kept = append(kept, l)
		}
	}
	return unused, kept
}

// Remove deletes one of the list, after it has looked again whether it is still
// the same file and nobody uses it. It follows no symbolic link.
func (c Cleaner) Remove(l Leftover) error {
	place, err := os.OpenRoot(l.place)
	if err != nil {
		return fmt.Errorf("delete %s: %w", l.Path, err)
	}
	err = c.remove(place, l)
	if closeErr := place.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%s is not deleted: %w", l.Path, err)
	}
	return nil
}

func (c Cleaner) remove(place *os.Root, l Leftover) error {
	if err := c.sound(place, l); err != nil {
		return err
	}
	now := l
	now.judge(c.Root, readUsers(c.Root, c.UID, c.Confined)) // last, so that little time is left for somebody to come
	if now.State != Unused {
		return fmt.Errorf("it is %s now", now.about())
	}
	if l.self.IsDir() {
		return place.RemoveAll(l.name)
	}
	return place.Remove(l.name)
}

// sound makes sure that nothing was put in the place of what was found, that the
// way there has no link that another user could have made, and that all of it is
// the user's own.
func (c Cleaner) sound(place *os.Root, l Leftover) error {
	parts := strings.Split(l.name, "/")
	for i := range parts[:len(parts)-1] {
		above, err := place.Lstat(filepath.Join(parts[:i+1]...))
		if err != nil {
			return err
		}
		if !above.IsDir() || owner(above) != c.UID {
			return errors.New("the folder above it is no folder of this user")
		}
	}
	self, err := place.Lstat(l.name)
	if err != nil {
		return err
	}
	if !os.SameFile(self, l.self) {
		return errors.New("something else has its name now")
	}
	again := examine(c.Root, strings.TrimSuffix(l.Path, "/"+l.name), l.name, l.kind, nil)
	if len(again) != 1 {
		return errors.New("something is in it now that its library does not make")
	}
	if slices.ContainsFunc(again[0].inside, func(i os.FileInfo) bool { return owner(i) != c.UID }) {
		return errors.New("it, or something in it, belongs to another user")
	}
	return nil
}

// about says in what state a leftover is, and why.
func (l Leftover) about() string {
	users := slices.DeleteFunc(slices.Clone(l.Users), func(p int) bool { return p == 0 })
	switch {
	case l.State == InUse && len(users) > 0:
		return fmt.Sprintf("%s by process %s", l.State, strings.Trim(fmt.Sprint(users), "[]"))
	case l.State != Unclear:
		return l.State
	case l.beyond:
		return "perhaps in use by a process outside of this container"
	case len(l.hidden) > 0:
		return fmt.Sprintf("perhaps in use by process %s, which cannot be looked into", few(numbers(l.hidden)))
	}
	return "perhaps in use by a process that cannot be seen"
}

func numbers(list []int) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}
	return texts
}

// String is one line for a person, without the size.
func (l Leftover) String() string {
	return fmt.Sprintf("%s (%s, user %d, %s)", l.Path, l.Library, l.UID, l.about())
}
