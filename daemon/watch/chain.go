package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Link is a symbolic link on the way to a file.
type Link struct{ Name, Target string }

// Chain is the way to a file: the links met, and where it leads.
type Chain struct {
	Links []Link
	File  string
}

// maxLinks is how many links are followed; Linux follows 40.
const maxLinks = 40

// Resolve follows the links of an absolute path as the kernel does; what is missing
// is kept as it is.
func Resolve(path string) Chain {
	var links []Link
	todo := split(path)
	file := "/"
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c == ".." {
			file = filepath.Dir(file)
			continue
		}
		name := filepath.Join(file, c)
		target, err := os.Readlink(name)
		if err != nil || len(links) >= maxLinks {
			file = name
			continue
		}
		links = append(links, Link{name, target})
		if filepath.IsAbs(target) {
			file = "/"
		}
		todo = append(split(target), todo...)
	}
	return Chain{links, file}
}

func split(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(c string) bool { return c == "" || c == "." })
}

// Dirs are the directories whose entries decide what the file is: those that hold
// it and its links, or the nearest ones above that exist.
func (c Chain) Dirs() []string {
	dirs := []string{existing(filepath.Dir(c.File))}
	for _, l := range c.Links {
		dirs = append(dirs, existing(filepath.Dir(l.Name)))
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// existing is the nearest directory at or above dir that exists.
func existing(dir string) string {
	for dir != "/" {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// Concerns tells whether an event of that name can be about the file: it is its own
// name, that of a link on the way, or of a directory above one of them.
func (c Chain) Concerns(name string) bool {
	for _, l := range c.Links {
		if name == l.Name || strings.HasPrefix(l.Name, name+"/") {
			return true
		}
	}
	return name == c.File || strings.HasPrefix(c.File, name+"/")
}

// Signature changes whenever the file does, a link on the way, or who may write it.
func (c Chain) Signature() string {
	var b strings.Builder
	for _, l := range c.Links {
		fmt.Fprintf(&b, "%q>%q ", l.Name, l.Target)
	}
	var st unix.Stat_t
	if err := unix.Stat(c.File, &st); err != nil {
		fmt.Fprintf(&b, "%q %v", c.File, err)
		return b.String()
	}
	fmt.Fprintf(&b, "%q %d %d %o %d %d %d.%d %d.%d", c.File, st.Dev, st.Ino, st.Mode, st.Uid, st.Size,
		st.Mtim.Sec, st.Mtim.Nsec, st.Ctim.Sec, st.Ctim.Nsec)
	return b.String()
}
