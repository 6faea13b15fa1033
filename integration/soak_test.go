package integration

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

var soak = flag.Duration("soak", 5*time.Second, "how long the short shells of an agent go on")

// manyShells is an agent that starts a short shell 40 times a second.
func manyShells(seconds string) {
	n, _ := strconv.Atoi(seconds)
	tick := time.NewTicker(time.Second / 40)
	bad, all := 0, n*40
	done := make(chan bool, all)
	for i := range all {
		<-tick.C
		go func() {
			text := "cat in.txt"
			if i%10 == 9 {
				text = "make -s it" // whose recipes are shells again
			}
			out, err := exec.Command([]string{"bash", "zsh"}[i%2], "-c", text).Output()
			done <- err == nil && string(out) == "the-inside\n"
		}()
	}
	for range all {
		if !<-done {
			bad++
		}
	}
	fmt.Printf("%d shells, %d went wrong\n", all, bad)
}

// Sessions, memory and descriptors of the daemon stay what they are over the many
// short shells of an agent.
func TestManyShells(t *testing.T) {
	s := newStage(t)
	needs(t, "make")
	s.guardEveryShell()
	s.write(s.project+"/Makefile", "it:\n\t@cat in.txt\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, s.top+"/claude"); err != nil {
		t.Fatal(err)
	}
	run := func(d time.Duration) string {
		p := s.paneOf("bash")
		mark := p.line(fmt.Sprintf("EXTDIR_TEST_SHELLS=%d %s/claude", int(d.Seconds()), s.top))
		var out string
		for end := time.Now().Add(d*4 + 30*time.Second); time.Now().Before(end) && !strings.Contains(out, "went wrong"); time.Sleep(100 * time.Millisecond) {
			out = p.textAfter(mark)
		}
		has(t, out, " 0 went wrong")
		return out
	}
	look := func() (fds, sessions int, kb int) {
		pid := s.daemonPid()
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(l, "VmRSS:"); ok {
				kb, _ = strconv.Atoi(strings.Fields(rest)[0])
			}
		}
		out, err := s.extdird("sessions", "--json")
		if err != nil {
			t.Fatal(err, out)
		}
		return len(list), strings.Count(out, `"driver"`), kb
	}
	run(2 * time.Second) // what a daemon grows to by itself
	s.until("the end of the first agent", func() bool { _, n, _ := look(); return n <= 2 })
	fds, sessions, kb := look()
	run(*soak)
	s.until("the end of the second agent", func() bool { f, n, _ := look(); return n <= sessions+1 && f <= fds+2 })
	fdsAfter, sessionsAfter, kbAfter := look()
	t.Logf("descriptors %d → %d, sessions %d → %d, memory %d → %d KB", fds, fdsAfter, sessions, sessionsAfter, kb, kbAfter)
	if kbAfter > kb+16<<10 {
		t.Errorf("the daemon grew from %d to %d KB", kb, kbAfter)
	}
}
