package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// systemDirs are never a root, nor is a directory above one: what lies below
// them belongs to the machine. Directories inside them may be roots
// (/usr/src/app, /var/www/site, /opt/app).
var systemDirs = []string{
	"/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib32", "/lib64", "/libx32",
	"/media", "/mnt", "/nix", "/nix/store", "/opt", "/proc", "/root", "/run", "/run/user",
	"/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/bin", "/usr/include", "/usr/lib",
	"/usr/libexec", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/usr/local/sbin",
	"/usr/local/share", "/usr/sbin", "/usr/share", "/usr/src", "/var", "/var/cache",
	"/var/lib", "/var/log", "/var/run", "/var/spool", "/var/tmp",
	"/Applications", "/Library", "/Network", "/System", "/Users", "/Volumes", "/cores",
	"/private", "/private/etc", "/private/tmp", "/private/var", "/private/var/folders",
	"/opt/homebrew",
}

// systemTrees are never a root with all that is below.
var systemTrees = []string{"/boot", "/dev", "/etc", "/proc", "/sys", "/private/etc", "/System"}

// Never tells whether dir (absolute, clean, physical) must not be a root: "/",
// home, a directory above home, or a system directory.
func Never(dir, home string) bool {
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
		return true
	}
	if slices.Contains(systemDirs, dir) {
		return true
	}
	for _, t := range systemTrees {
		if within(dir, t) {
			return true
		}
	}
	for _, h := range homes(home) {
		if within(h, dir) {
			return true
		}
	}
	return false
}

// homes are the names of a home directory: as given, and resolved.
func homes(home string) []string {
	if home == "" || !filepath.IsAbs(home) {
		return nil
	}
	home = filepath.Clean(home)
	if real, err := filepath.EvalSymlinks(home); err == nil && real != home {
		return []string{home, real}
	}
	return []string{home}
}

// within tells whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// FindRoot finds the root for a start directory: the nearest directory upwards
// with a ".git", else the start directory itself. "" means that there is none
// and everything is outside. git is never run and nothing it is configured with
// (core.worktree, GIT_*) is looked at, since whoever may write there could move
// the root.
//
// dir is the physical directory. A ".git" that is a directory counts. A ".git"
// that is a file points to a repository elsewhere: it counts as a linked
// worktree when that repository's own list points back to it, or as a submodule
// when the repository lies inside the superproject that holds it; anything else
// ("gitdir: /somewhere") leaves the directory a plain one.
func FindRoot(dir, home string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir = filepath.Clean(dir)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	if at := Repository(dir, home); at != "" {
		return at
	}
	if Never(dir, home) {
		return ""
	}
	return dir
}

// Repository finds the work tree around a directory, "" if there is none that
// may be a root.
func Repository(dir, home string) string {
	for at := filepath.Clean(dir); !Never(at, home); at = filepath.Dir(at) {
		if isWorktree(at) {
			return at
		}
	}
	return ""
}

// isWorktree tells whether dir/.git makes dir the top of a work tree.
func isWorktree(dir string) bool {
	git := filepath.Join(dir, ".git")
	st, err := os.Lstat(git)
	if err != nil {
		return false
	}
	switch {
	case st.IsDir():
		return isGitDir(git)
	case st.Mode().IsRegular():
		return linked(dir, git)
	}
	// A symlink is a gitdir elsewhere that nothing points back from.
	return false
}

// isGitDir asks for what git itself asks for: HEAD, and objects and refs here
// or in the common directory. An empty .git directory is none.
func isGitDir(git string) bool {
	if _, err := os.Lstat(filepath.Join(git, "HEAD")); err != nil {
		return false
	}
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(git, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// linked checks a ".git" file both ways (gitrepository-layout(5)): it names
// REPO/worktrees/NAME, whose file "gitdir" names the .git file again; or it
// names SUPER/.git/modules/NAME of a superproject above dir.
func linked(dir, git string) bool {
	gitdir, ok := readLine(git, "gitdir: ")
	if !ok {
		return false
	}
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(dir, gitdir)
	}
	gitdir, err := filepath.EvalSymlinks(gitdir)
	if err != nil {
		return false
	}
	if filepath.Base(filepath.Dir(gitdir)) == "worktrees" {
		if _, err := os.Lstat(filepath.Join(gitdir, "HEAD")); err != nil || !isGitDir(filepath.Dir(filepath.Dir(gitdir))) {
			return false
		}
		back, ok := readLine(filepath.Join(gitdir, "gitdir"), "")
		if !ok {
			return false
		}
		if !filepath.IsAbs(back) { // worktree.useRelativePaths, git 2.48
			back = filepath.Join(gitdir, back)
		}
		real, err := filepath.EvalSymlinks(back)
		return err == nil && real == git
	}
	for up := filepath.Dir(dir); ; up = filepath.Dir(up) {
		if within(gitdir, filepath.Join(up, ".git", "modules")) {
			return isGitDir(gitdir)
		}
		if up == "/" {
			return false
		}
	}
}

// readLine reads a file of one short line and cuts prefix off.
func readLine(path, prefix string) (string, bool) {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 8192 {
		return "", false
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	line, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), prefix)
	return line, ok && line != "" && !strings.ContainsAny(line, "\n\x00")
}
