// Package resolve finds what a path names the way the kernel does: symlinks are
// followed as they are met, and ".." goes up from where the link led.
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
