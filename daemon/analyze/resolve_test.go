package analyze

import "testing"

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
