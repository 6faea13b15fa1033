package analyze

import (
	"io/fs"
	"strings"
	"testing"

	"extdir/daemon/resolve"
)

// TestLinks: links that the line makes, and names that mean something else in each
// process.
func TestLinks(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		ln -s / r; cat r/etc/passwd                    ⇒ r /, r /etc/passwd
		ln -sfn / r; cat r/etc/passwd                  ⇒ r /, r /etc/passwd
		ln -s -t . /etc; cat etc/passwd                ⇒ r /etc, r /etc/passwd
		ln -s /etc; cat etc/passwd                     ⇒ r /etc, r /etc/passwd
		cp -s /etc/passwd x; cat x                     ⇒ r /etc/passwd
		ln -s /etc l; cp -a l m; cat m/passwd          ⇒ r /etc, r /etc/passwd
		ln -s /etc d; cd d; cat passwd                 ⇒ r /etc, r /etc/passwd
		ln -s src l; cat l/main.go l/../README.md      ⇒
		ln /etc/passwd x                               ⇒ r /etc/passwd
	names of the process itself
		cat /proc/self/root/etc/passwd                 ⇒ r /proc/self/root/etc/passwd
		cat /proc/self/cwd/README.md                   ⇒
		cat /proc/thread-self/cwd/src/main.go          ⇒
		cat /proc/self/cwd/../other/secret.txt         ⇒ r /proc/self/other/secret.txt
		cd src; cat /proc/self/cwd/../../other/run.sh  ⇒ r /proc/other/run.sh
		ln -s /proc/self/root r; cat r/etc/hosts       ⇒ r /etc/hosts, r /proc/self/root
		cd /proc/self/root; cat etc/hosts              ⇒ r /proc/self/root, r /proc/self/root/etc/hosts
		cat /proc/self/environ                         ⇒ r /proc/self/environ
		cat /proc/1234/cwd/x                           ⇒ r /proc/1234/cwd/x
		cat /proc/1234/cwd/../x                        ⇒ ?/proc/1234/x
		cat /proc/$$/root/etc/hosts                    ⇒ ?/proc/*
		cat /proc/self/fd/3/../x                       ⇒ ?/proc/self/fd/x
		cat /dev/fd/3/../../etc/passwd                 ⇒ ?/dev/etc/passwd
		exec 3</etc/passwd; cat /dev/fd/3 <&3          ⇒ r /etc/passwd
	`)
}

// Both names are known: the one that was typed, and the file it leads to.
func TestOwnNames(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		"cat /proc/self/root/etc/hosts":                 "/etc/hosts",
		"cat /proc/self/cwd/../other/secret.txt":        "/p/other/secret.txt",
		"cd src; cat /proc/self/cwd/../../other/run.sh": "/p/other/run.sh",
		"ln -s /proc/self/root r; cat r/etc/hosts":      "/etc/hosts",
	} {
		l := a.Analyze(request(line)).Accesses
		if got := l[len(l)-1].Path; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// folded is a volume on which case doesn't count: all that is stored is in lower case.
type folded struct{ resolve.FS }

func (f folded) Lstat(name string) (fs.FileInfo, error) { return f.FS.Lstat(strings.ToLower(name)) }
func (f folded) Readlink(name string) (string, error)   { return f.FS.Readlink(strings.ToLower(name)) }
func (f folded) TrueName(name string) string            { return strings.ToLower(name) }

// TestFoldedCase: where the volume doesn't tell A from a, the guard doesn't either.
func TestFoldedCase(t *testing.T) {
	a := analyzer(t, world(t))
	a.FS = folded{a.FS}
	for line, want := range map[string]string{
		"cat /P/APP/readme.md":           "/p/app/readme.md",
		"cat /Etc/Passwd":                "/etc/passwd",
		"cat LINK_ETC/passwd":            "/etc/passwd",
		"ln -s /ETC l; cat l/Hosts":      "/etc/hosts",
		"cat /proc/self/cwd/SRC/main.go": "/p/app/src/main.go",
	} {
		l := a.Analyze(request(line)).Accesses
		if got := l[len(l)-1]; got.Path != want || got.External != !under(want, "/p/app") {
			t.Errorf("%s: %s (external %v), want %s", line, got.Path, got.External, want)
		}
	}
}
