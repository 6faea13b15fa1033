package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// editors save a file the ways editors do.
var editors = []struct {
	name string
	save func(file, text string) error
}{
	{"truncate and write", func(file, text string) error { return os.WriteFile(file, []byte(text), 0o600) }},
	{"write beside and rename", func(file, text string) error {
		if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
			return err
		}
		return os.Rename(file+".new", file)
	}},
	{"rename to a backup and write", func(file, text string) error {
		if err := os.Rename(file, file+"~"); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o600)
	}},
	{"delete and create", func(file, text string) error {
		if err := os.Remove(file); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(text), 0o600)
	}},
	{"exchange a symlink", func(file, text string) error {
		target := fmt.Sprintf("%s.%d", file, time.Now().UnixNano())
		if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
			return err
		}
		os.Remove(file + ".link")
		if err := os.Symlink(target, file+".link"); err != nil {
			return err
		}
		return os.Rename(file+".link", file)
	}},
}

// Rules are live within 300 ms where saving is seen at once, within 2.5 s at the
// most, and no line is judged by a mixture of old and new. The limits are those
// of the promise, not of a race: the wait is for the change itself.
func TestConfigIsLive(t *testing.T) {
	s := newStage(t)
	file := filepath.Join(s.dir, "config.json")
	// Both rules of a version deny or both allow: a mix would show as one of each.
	version := func(action string) string {
		return fmt.Sprintf(`{"defaults": false, "permission": {"external_directory": {"/aa": %q, "/bb": %q}}}`, action, action)
	}
	s.write(file, version("deny"))
	s.serve()
	judge := func(line string) string {
		out, err := s.extdird("explain", "--json", line)
		if err != nil {
			t.Fatalf("explain: %v\n%s", err, out)
		}
		for _, v := range []string{"block", "allow", "prompt"} {
			if strings.Contains(out, `"verdict": "`+v+`"`) || strings.Contains(out, `"verdict":"`+v+`"`) {
				return v
			}
		}
		t.Fatalf("no verdict in %s", out)
		return ""
	}
	if v := judge("cat /aa/x"); v != "block" {
		t.Fatalf("the first rules are not in force: %s", v)
	}
	for round := range 2 {
		for i, e := range editors {
			want, action := "allow", "allow"
			if (round+i)%2 == 1 {
				want, action = "block", "deny"
			}
			if err := e.save(file, version(action)); err != nil {
				t.Fatal(err)
			}
			saved := time.Now()
			for judge("cat /aa/x") != want {
				if time.Since(saved) > 2500*time.Millisecond {
					t.Fatalf("%s: not live after 2.5 s", e.name)
				}
			}
			t.Logf("%s: live after %v", e.name, time.Since(saved).Round(time.Millisecond))
			if v := judge("cat /bb/x"); v != want {
				t.Errorf("%s: a mix of two versions", e.name)
			}
			// A broken file loosens nothing, and says where it is broken.
			if err := e.save(file, `{"permission": {"external_directory": {"/aa": "alow"}}}`); err != nil {
				t.Fatal(err)
			}
			s.until("status to name the fault", func() bool {
				out, _ := s.extdird("status")
				return strings.Contains(out, "config.json") && strings.Contains(out, "alow")
			})
			if v := judge("cat /aa/x"); v != want {
				t.Errorf("%s: a broken file changed the verdict from %s to %s", e.name, want, v)
			}
		}
	}
}

// The same while lines are judged without pause.
func TestConfigWhileJudging(t *testing.T) {
	s := newStage(t)
	file := filepath.Join(s.dir, "config.json")
	version := func(action string) string {
		return fmt.Sprintf(`{"defaults": false, "permission": {"external_directory": {"/aa": %q, "/bb": %q}}}`, action, action)
	}
	s.write(file, version("deny"))
	s.serve()
	var stop atomic.Bool
	var judged atomic.Int64
	bad := make(chan string, 1)
	go func() {
		defer close(bad)
		for !stop.Load() {
			// One line with both paths: allowed whole or refused whole, never asked.
			out, err := exec.Command(extdird(), "--dir", s.dir, "explain", "--json", "cat /aa/x /bb/x").CombinedOutput()
			if err != nil || strings.Contains(string(out), "prompt") {
				bad <- fmt.Sprintf("%v\n%s", err, out)
				return
			}
			judged.Add(1)
		}
	}()
	for i := range 40 {
		e := editors[i%len(editors)]
		if e.name == "delete and create" || e.name == "rename to a backup and write" {
			// Between the two steps there is no file; that is another promise.
			e = editors[0]
		}
		action := "allow"
		if i%2 == 1 {
			action = "deny"
		}
		if err := e.save(file, version(action)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Millisecond)
	}
	stop.Store(true)
	if text, isBad := <-bad; isBad {
		t.Errorf("a line was judged by a mix: %s", text)
	}
	if judged.Load() < 10 {
		t.Errorf("only %d lines were judged meanwhile", judged.Load())
	}
}
