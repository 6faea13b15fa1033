package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"extdir/daemon/config"
	"extdir/hook/wire"
)

// The next question or refusal of a session says that the configuration is
// broken; the one after it doesn't.
func TestBrokenConfigurationIsTold(t *testing.T) {
	w := newWorld(t, "")
	file := filepath.Join(t.TempDir(), "config.json")
	must(t, os.WriteFile(file, []byte("{\n  \"unknown\": \"perhaps\"\n}"), 0o600))
	c, err := config.Open(config.Options{File: file, Home: w.home})
	must(t, err)
	t.Cleanup(c.Close)
	w.o.Config = c
	w.path = serve(t, w.o, nil)
	w.agent()
	const says = "\nextdir: config.json:2:14: \"unknown\" must be \"allow\", \"ask\" or \"deny\", not \"perhaps\"; none of its rules hold\n"
	rep := w.check("cat /other/file")
	if rep.Verdict != wire.Prompt {
		t.Fatal(rep)
	}
	if text := w.detail(rep.Arg).Get("text"); !strings.HasSuffix(text, says) {
		t.Errorf("the first question: %q", text)
	}
	rep = w.check("cat /other/file2")
	if text := w.detail(rep.Arg).Get("text"); strings.Contains(text, "config.json") {
		t.Errorf("the second question: %q", text)
	}
	// Another trouble is told again.
	must(t, os.WriteFile(file, []byte("{"), 0o600))
	c.Reload()
	for end := time.Now().Add(5 * time.Second); strings.Contains(c.Status().Problem, "perhaps"); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(c.Status())
		}
	}
	rep = w.check("cat /other/file3")
	if text := w.detail(rep.Arg).Get("text"); !strings.Contains(text, "\nextdir: config.json:1:") {
		t.Errorf("the question after another change: %q", text)
	}
}
