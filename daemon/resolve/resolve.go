// Package resolve finds what a path names the way the kernel does: symlinks are
// followed as they are met, and ".." goes up from where the link led.
//
// Out of reach: a hard link has no target to read, and a bind mount puts a directory
// from elsewhere where its name says nothing of it. Both are what they are called.
package resolve

import "io/fs"

// FS is what resolving asks of a file system. Names are absolute and clean of
// "." and double slashes, but may pass through symlinks. Implementations are
// safe for concurrent use.
type FS interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	// ReadDir returns the entries of a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
}

// Magic is what an FS may add: where a magic link of the process that a name is
// resolved for leads (/proc/self/cwd, /proc/self/root). Read here, it would tell
// of this process.
type Magic interface {
	Magic(name string) (target string, ok bool)
}

// Namer is what an FS may add whose volumes take several names for one file: case
// or the composition of characters doesn't count there. TrueName is the name it is
// stored under. It is asked of what exists, links on the way resolved.
type Namer interface {
	TrueName(name string) string
}

// TrueName asks fsys if it is a Namer. File systems that wrap others hand it on.
func TrueName(fsys FS, name string) string {
	if n, ok := fsys.(Namer); ok {
		return n.TrueName(name)
	}
	return name
}
