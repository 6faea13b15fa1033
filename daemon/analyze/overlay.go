package analyze

import (
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/resolve"
)

// overlay is the disk with what the line itself made on top. Its names are
// resolved ones: resolve.Path asks component by component.
type overlay struct {
	disk  resolve.FS
	files map[string]file
}

// entry is what the line made of a name, as far as it is sure to be there.
func (o overlay) entry(name string) (file, bool) {
	f, ok := o.files[name]
	return f, ok && !f.output
}

func (o overlay) Lstat(name string) (fs.FileInfo, error) {
	if f, ok := o.entry(name); ok {
		if f.gone {
			return nil, fs.ErrNotExist
		}
		return made{path.Base(name), f}, nil
	}
	return o.disk.Lstat(name)
}

func (o overlay) Readlink(name string) (string, error) {
	if f, ok := o.entry(name); ok {
		if !f.link {
			return "", fs.ErrInvalid
		}
		return f.target, nil
	}
	return o.disk.Readlink(name)
}

func (o overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := o.disk.ReadDir(name)
	if len(o.files) == 0 {
		return entries, err
	}
	var out []fs.DirEntry
	for _, e := range entries {
		if _, ok := o.entry(path.Join(name, e.Name())); !ok {
			out = append(out, e)
		}
	}
	for at, f := range o.files {
		if path.Dir(at) == name && !f.gone && !f.output {
			out = append(out, fs.FileInfoToDirEntry(made{path.Base(at), f}))
			err = nil
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
	return out, err
}

// inProcess is a disk as a program of the line sees it: its own /proc/self/root
// and /proc/self/cwd, which the shell hands down to it.
type inProcess struct {
	resolve.FS
	cwd access.Word
}

func (p inProcess) Magic(name string) (string, bool) {
	switch name {
	case "/proc/self/root", "/proc/thread-self/root":
		return "/", true
	case "/proc/self/cwd", "/proc/thread-self/cwd":
		dir, ok := p.cwd.Lit()
		return dir, ok && strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, "/proc/")
	}
	return "", false
}

// TrueName: what the line made is called as the line calls it.
func (o overlay) TrueName(name string) string {
	if _, ok := o.entry(name); ok {
		return name
	}
	return resolve.TrueName(o.disk, name)
}

// TrueName hands the question on.
func (a *asked) TrueName(name string) string { return resolve.TrueName(a.disk, name) }

// TrueName hands the question on.
func (p inProcess) TrueName(name string) string { return resolve.TrueName(p.FS, name) }

// made describes a file that the line made.
type made struct {
	name string
	file file
}

func (m made) Name() string { return m.name }
func (m made) Size() int64  { return 0 }
func (m made) Mode() fs.FileMode {
	switch {
	case m.file.link:
		return fs.ModeSymlink | 0o777
	case m.file.dir:
		return fs.ModeDir | 0o755
	}
	return 0o644
}
func (m made) ModTime() time.Time { return time.Time{} }
func (m made) IsDir() bool        { return m.file.dir }
func (m made) Sys() any           { return nil }

// asked is a file system for one line: each name is asked about once, and the
// number of questions is limited.
type asked struct {
	disk  resolve.FS
	b     *guard.Budget
	first []heard // a few are looked through: a map is made only where there are more
	seen  map[string]answer
}

// heard is the answer about a name.
type heard struct {
	name string
	answer
}

type answer struct {
	info fs.FileInfo
	err  error
}

func (a *asked) Lstat(name string) (fs.FileInfo, error) {
	for i := range a.first {
		if a.first[i].name == name {
			return a.first[i].info, a.first[i].err
		}
	}
	if r, ok := a.seen[name]; ok {
		return r.info, r.err
	}
	if !a.b.Spend(guard.Files, 1) {
		return nil, resolve.ErrBudget
	}
	info, err := a.disk.Lstat(name)
	switch {
	case len(a.first) < few:
		a.first = append(a.first, heard{name, answer{info, err}})
	case a.seen == nil:
		a.seen = map[string]answer{}
		fallthrough
	default:
		a.seen[name] = answer{info, err}
	}
	return info, err
}

func (a *asked) Readlink(name string) (string, error) {
	if !a.b.Spend(guard.Files, 1) {
		return "", resolve.ErrBudget
	}
	return a.disk.Readlink(name)
}

func (a *asked) ReadDir(name string) ([]fs.DirEntry, error) {
	if !a.b.Spend(guard.Files, 1) {
		return nil, resolve.ErrBudget
	}
	return a.disk.ReadDir(name)
}
