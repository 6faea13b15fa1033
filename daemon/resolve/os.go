package resolve

import (
	"io/fs"
	"os"
	"path"
	"strings"
)

// OS returns the file system of the machine.
func OS() FS { return system{} }

type system struct{}

func (system) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (system) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (system) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Rooted returns a file system in which dir stands for "/": nothing above dir is
// seen, and absolute links lead to names below dir.
func Rooted(dir string) FS { return rooted{flat{strings.TrimRight(dir, "/")}} }

type rooted struct{ flat }

// links replaces the directory part of a name by what it resolves to inside.
// Handed to the machine with its links, an absolute one would lead out of dir.
func (r rooted) links(name string) string {
	name = path.Clean("/" + name)
	dir, base := path.Split(name)
	if real, err := Path(r.flat, dir, nil); err == nil {
		return path.Join(real, base)
	}
	return name
}

func (r rooted) Lstat(name string) (fs.FileInfo, error) { return r.flat.Lstat(r.links(name)) }
func (r rooted) Readlink(name string) (string, error)   { return r.flat.Readlink(r.links(name)) }

func (r rooted) ReadDir(name string) ([]fs.DirEntry, error) {
	real, err := Path(r.flat, name, nil)
	if err != nil {
		return nil, err
	}
	return r.flat.ReadDir(real)
}

// flat is a rooted system for names whose directory part holds no link.
type flat struct{ dir string }

func (f flat) Lstat(name string) (fs.FileInfo, error) {
	return os.Lstat(f.dir + path.Clean("/"+name))
}

func (f flat) Readlink(name string) (string, error) {
	return os.Readlink(f.dir + path.Clean("/"+name))
}

func (f flat) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(f.dir + path.Clean("/"+name))
}
