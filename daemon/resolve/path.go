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
	done := "" // resolved so far, "" for the root
	rest := name
	links := 0
	missing := -1 // length of done from which on nothing exists; -1: all exists so far
	for {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return stored(fsys, done, missing), nil
		}
		part, tail, _ := strings.Cut(rest, "/")
		rest = tail
		switch part {
		case ".":
			continue
		case "..":
			if own := ownLink(done); own != "" {
				return "", fmt.Errorf("where %s leads isn't known here", own)
			}
			done = done[:max(strings.LastIndexByte(done, '/'), 0)]
			if len(done) < missing {
				missing = -1
			}
			continue
		}
		done = join(done, part, name)
		own := ownMeaning(done)
		if missing >= 0 && !own {
			continue
		}
		target, link := "", false
		if own {
			m, ok := fsys.(Magic)
			if !ok {
				continue
			}
			if target, link = m.Magic(done); !link {
				continue
			}
			missing = -1
		} else {
			if !b.take() {
				return "", ErrBudget
			}
			info, err := fsys.Lstat(done)
			if err != nil {
				switch {
				case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR),
					errors.Is(err, syscall.ENAMETOOLONG): // nothing can have this name
					missing = len(done)
					continue
				}
				return "", fmt.Errorf("can't look at %s: %w", done, reason(err))
			}
			if info.Mode()&fs.ModeSymlink == 0 {
				if !info.IsDir() && rest != "" {
					missing = len(done) + 1
				}
				continue
			}
			if !b.take() {
				return "", ErrBudget
			}
			if target, err = fsys.Readlink(done); err != nil {
				return "", fmt.Errorf("can't read the link %s: %w", done, reason(err))
			}
		}
		if links++; links > maxLinks {
			return "", ErrLoop
		}
		done = done[:strings.LastIndexByte(done, '/')]
		if strings.HasPrefix(target, "/") {
			done = ""
		}
		rest = target + "/" + rest
	}
}

// stored is a resolved name as it stands on the disk: up to byte missing-1 (-1: all
// of it) it exists. The names of missing files are as they were typed.
func stored(fsys FS, name string, missing int) string {
	if name == "" {
		return "/"
	}
	n, ok := fsys.(Namer)
	if !ok || ownMeaning(name) {
		return name
	}
	there := len(name)
	if missing >= 0 && missing <= there {
		there = strings.LastIndexByte(name[:missing], '/')
	}
	if there <= 0 {
		return name
	}
	return n.TrueName(name[:there]) + name[there:]
}

// join puts a component behind a resolved directory. Where the name as given goes
// on that way, which is nearly always, it is a piece of it.
func join(done, part, name string) string {
	n := len(done)
	if end := n + 1 + len(part); end <= len(name) && name[n] == '/' && name[:n] == done && name[n+1:end] == part {
		return name[:end]
	}
	return done + "/" + part
}

// reason is what went wrong, without the name that the sentence has already.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// ownLink is the magic link on the way of a name (/proc/PID/cwd, /proc/PID/fd/3,
// /dev/fd/3 …), "" if there is none. What lies above one is not what stands before
// it in the name.
func ownLink(name string) string {
	if rest, ok := strings.CutPrefix(name, "/dev/"); ok {
		first, _, _ := strings.Cut(rest, "/")
		switch first {
		case "fd", "stdin", "stdout", "stderr":
			return name
		}
		return ""
	}
	rest, ok := strings.CutPrefix(name, "/proc/")
	if !ok {
		return ""
	}
	parts := strings.Split(rest, "/")
	if !processName(parts[0]) {
		return ""
	}
	parts = parts[1:]
	if len(parts) > 2 && parts[0] == "task" {
		parts = parts[2:]
	}
	if len(parts) > 0 {
		switch parts[0] {
		case "cwd", "root", "exe":
			return name
		case "fd", "map_files", "ns":
			if len(parts) > 1 {
				return name
			}
		}
	}
	return ""
}

// processName tells whether a name below /proc is that of a process.
func processName(name string) bool {
	return name == "self" || name == "thread-self" || name != "" && strings.Trim(name, "0123456789") == ""
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
