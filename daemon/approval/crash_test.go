package approval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"extdir/daemon/access"
	"extdir/daemon/session"
)

const crashEnv = "EXTDIR_TEST_CRASH"

// The test binary stands for a daemon that approves without end and says so
// after each: started with crashEnv it does that to the file named there.
func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		approveForever(path)
	}
	goleak.VerifyTestMain(m)
}

var testSession = session.Session{
	Key: "robot-1", Driver: session.Agent, Agent: "robot", Home: "/home/u", Roots: []string{"/code/app"},
	Anchor: session.ID{Boot: "boot", Pid: 7, Start: 8},
}

func testOptions() Options { return Options{Boot: "boot", Retry: time.Hour} }

func approveForever(path string) {
	s, err := Open(path, testOptions())
	if err == nil && s.Status() != "" {
		err = fmt.Errorf("%s", s.Status())
	}
	if err == nil {
		err = s.PutSession(session.Saved{Session: testSession})
	}
	for n := 0; err == nil; n++ {
		var g Grant
		g, err = s.Add(Grant{
			Session: testSession.Key, Anchor: testSession.Anchor, Scope: InSession,
			Line:  fmt.Sprintf("cat /x/%d/%d", os.Getpid(), n),
			Paths: []PathGrant{{Path: fmt.Sprintf("/x/%d/%d", os.Getpid(), n), Kinds: access.Kinds(access.Read)}},
		})
		if err == nil {
			b, _ := json.Marshal(g)
			_, err = os.Stdout.Write(append(b, '\n'))
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A daemon that is killed at any moment loses no approval that it acknowledged,
// and leaves none that it didn't write whole.
func TestKilledWhileApproving(t *testing.T) {
	rounds := 200
	if os.Getenv("EXTDIR_TEST_LONG") != "" {
		rounds = 2000
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "approvals.db")
	acknowledged := map[string]Grant{}
	total := 0
	for round := range rounds {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), crashEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := make(chan []byte)
		go func() {
			defer close(lines)
			for r := bufio.NewScanner(out); r.Scan(); {
				lines <- append([]byte(nil), r.Bytes()...)
			}
		}()
		// At a random moment, counted from the first acknowledgement, or before it.
		first := round%10 != 0
		timer := time.NewTimer(time.Duration(rand.IntN(12)) * time.Millisecond)
		if first {
			timer.Stop()
		}
		for lines != nil {
			select {
			case b, ok := <-lines:
				if !ok {
					lines = nil
					break
				}
				if first {
					first = false
					timer.Reset(time.Duration(rand.IntN(12)) * time.Millisecond)
				}
				var g Grant
				if err := json.Unmarshal(b, &g); err != nil {
					t.Fatalf("%s: %v", b, err)
				}
				acknowledged[g.ID] = g
				total++
			case <-timer.C:
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait()
		if round%10 != 9 && round != rounds-1 {
			continue
		}
		s, err := Open(path, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		if text := s.Status(); text != "" {
			t.Fatalf("round %d: %s", round, text)
		}
		seen := map[string]bool{}
		for _, g := range s.List() {
			seen[g.ID] = true
			if len(g.Paths) != 1 || g.Line != "cat "+g.Paths[0].Path || g.Anchor != testSession.Anchor || !g.Saved {
				t.Fatalf("half a grant: %+v", g)
			}
		}
		for id := range acknowledged {
			if !seen[id] {
				t.Fatalf("round %d: grant %s was acknowledged and is lost", round, id)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if total < rounds {
		t.Fatalf("only %d approvals in %d rounds", total, rounds)
	}
	t.Logf("%d rounds, %d acknowledged approvals", rounds, total)
}
