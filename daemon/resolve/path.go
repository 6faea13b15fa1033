package resolve

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// maxLinks is how many links the kernel follows in one path before it gives up
// with ELOOP (path_resolution(7), MAXSYMLINKS).
const maxLinks = 40

// Budget is what resolving may still cost. A nil Budget allows DefaultCalls.
type Budget struct {
	Calls int // file system calls left
}

// DefaultCalls is the number of file system calls a path is resolved with where
// the caller sets no budget.
const DefaultCalls = 4096

func (b *Budget) take() bool {
	if b.Calls <= 0 {
		return false
	}
	b.Calls--
	return true
}

// Errors of Path and LinksBelow. With each of them the name is unknown.
var (
	ErrLoop   = fmt.Errorf("more than %d symbolic links on the way", maxLinks)
	ErrBudget = errors.New("too many file system calls for one line")
)

// Path resolves an absolute name the way the kernel does: component by
// component, links followed as they are met, ".." taken from where the link led.
//
// A component that is missing, or that is no directory although more follows,
// doesn't end the walk: what comes after it is taken as if the directory were
// there, since the line may make it. Then a later ".." leads back to what exists.
//
// Names the kernel gives another meaning in each process (/proc/self, /dev/fd,
// /dev/stdin …) stay as they are: here they would name the descriptors and
// folders of this process.
func Path(fsys FS, name string, b *Budget) (string, error) {
	if b == nil {
		b = &Budget{Calls: DefaultCalls}
	}
	if !strings.HasPrefix(name, "/") {
		return "", fmt.Errorf("%q is not absolute", name)
	}
	var done []string // resolved components
	rest := name
	links := 0
	missing := -1 // len(done) from which on nothing exists; -1: all exists so far
	for {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return "/" + strings.Join(done, "/"), nil
		}
		part, tail, _ := strings.Cut(rest, "/")
		rest = tail
		switch part {
		case ".":
			continue
		case "..":
			if len(done) > 0 {
				done = done[:len(done)-1]
			}
			if len(done) < missing {
				missing = -1
			}
			continue
		}
		done = append(done, part)
		if missing >= 0 {
			continue
		}
		at := "/" + strings.Join(done, "/")
		if ownMeaning(at) {
			continue
		}
		if !b.take() {
			return "", ErrBudget
		}
		info, err := fsys.Lstat(at)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				missing = len(done)
				continue
			}
			if errors.Is(err, syscall.ENAMETOOLONG) {
				missing = len(done) // nothing can have this name
				continue
			}
			return "", fmt.Errorf("can't look at %s: %w", at, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if !info.IsDir() && rest != "" {
				missing = len(done)
			}
			continue
		}
		if links++; links > maxLinks {
			return "", ErrLoop
		}
		if !b.take() {
			return "", ErrBudget
		}
		target, err := fsys.Readlink(at)
		if err != nil {
			return "", fmt.Errorf("can't read the link %s: %w", at, err)
		}
		done = done[:len(done)-1]
		if strings.HasPrefix(target, "/") {
			done = done[:0]
		}
		rest = target + "/" + rest
	}
}

// ownMeaning tells whether an absolute name means something else in each
// process, or is one of the magic links below /proc/PID.
func ownMeaning(name string) bool {
	switch name {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/dev/tty":
		return true
	}
	if strings.HasPrefix(name, "/dev/fd/") {
		return true
	}
	if rest, ok := strings.CutPrefix(name, "/proc/"); ok {
		first, _, below := strings.Cut(rest, "/")
		return first == "self" || first == "thread-self" || first == "mounts" || first == "net" ||
			below && strings.Trim(first, "0123456789") == ""
	}
	return false
}

// LinksBelow finds the links below dir (a resolved name) that a program would
// follow, and returns what they resolve to where outside tells so, sorted in the
// order of the walk. Links to directories inside are walked too. complete is
// false when the budget ended first, or a directory couldn't be read.
func LinksBelow(fsys FS, dir string, outside func(string) bool, b *Budget) (targets []string, complete bool) {
	if b == nil {
		b = &Budget{Calls: DefaultCalls}
	}
	complete = true
	seen := map[string]bool{}
	found := map[string]bool{}
	todo := []string{dir}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		if !b.take() {
			return targets, false
		}
		entries, err := fsys.ReadDir(at)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
				complete = false
			}
			continue
		}
		for _, e := range entries {
			name := path.Join(at, e.Name())
			switch {
			case e.IsDir():
				todo = append(todo, name)
			case e.Type()&fs.ModeSymlink != 0:
				real, err := Path(fsys, name, b)
				if err != nil {
					if errors.Is(err, ErrBudget) {
						return targets, false
					}
					if !errors.Is(err, ErrLoop) {
						complete = false
					}
					continue
				}
				if outside(real) {
					if !found[real] {
						found[real] = true
						targets = append(targets, real)
					}
					continue
				}
				todo = append(todo, real)
			}
		}
	}
	return targets, complete
}
