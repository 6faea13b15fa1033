package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What hosts of agents hand to a shell, ‹› where the agent's words stand; a newline
// is written ⏎.
var frames = []struct {
	agent, shell, snapshot, text string
}{
	{
		"claude", "bash", ".claude/shell-snapshots/snapshot-bash-1732798268349-nr1qn9.sh",
		`source HOME/SNAPSHOT 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && { \builtin unalias -- 'unsetenv'; \builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e1d7-cwd`,
	},
	{
		"claude", "zsh", ".claude/shell-snapshots/snapshot-zsh-1732798268349-nr1qn9.sh",
		`source HOME/SNAPSHOT 2>/dev/null || true && setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true && eval ‹› < /dev/null && pwd -P >| /tmp/claude-e1d7-cwd`,
	},
	{"codex", "bash", ".codex/shell_snapshots/0199-ab.sh", `if . 'HOME/SNAPSHOT' >/dev/null 2>&1; then :; fi⏎⏎exec '/bin/bash' -c ‹›`},
	{"codex", "zsh", ".codex/shell_snapshots/0199-ab.sh", `if . 'HOME/SNAPSHOT' >/dev/null 2>&1; then :; fi⏎⏎exec '/bin/zsh' -c ‹›`},
	{"gemini", "bash", "", `shopt -u promptvars nullglob extglob nocaseglob dotglob; { «» }; __code=$?; pgrep -g 0 >/tmp/shell_pgrep_e1d7e1d7e1d7.tmp 2>&1; exit $__code;`},
	{"opencode", "bash", "", "«»"},
	{"pi", "bash", "", "«»"},
}

var pendingID = regexp.MustCompile(`(?m)^\s*([0-9a-f]{3,})\b`)

// Of a framed line a person sees the agent's words, is asked once, and asked nothing
// where they stay inside.
func TestFrames(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames {
		t.Run(f.agent+"/"+f.shell, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.config(`{"permission": {"external_directory": {"` + s.outside + `": "ask"}}}`)
			if f.snapshot != "" {
				s.write(filepath.Join(s.home, f.snapshot), "# the user's functions\n")
			}
			framed := func(words string) string {
				text := strings.ReplaceAll(strings.ReplaceAll(f.text, "HOME", s.home), "SNAPSHOT", f.snapshot)
				text = strings.Replace(text, "‹›", "'"+strings.ReplaceAll(words, "'", `'"'"'`)+"'", 1)
				if strings.Contains(text, "{ «»") {
					words += ";"
				}
				return f.shell + "\t-c\t" + strings.Replace(text, "«»", words, 1) + "\n"
			}
			secret := "cat " + s.outside + "/secret.txt # it's one"
			if f.agent == "gemini" {
				secret = "cat " + s.outside + "/secret.txt"
			}
			s.write(s.project+"/argvs", framed("cat in.txt")+framed(secret)+framed("cat in.txt | wc -l"))
			host, person := s.pane(), s.pane()
			mark := host.line("extdird --dir " + s.dir + " run --agent " + f.agent + " -- env EXTDIR_TEST_AGENT=1 " + self + " ./argvs")
			host.waitFor(mark, "the-inside")
			var question string
			s.until("the question", func() bool {
				question = person.run("extdird --dir " + s.dir + " pending")
				return strings.Contains(question, secret)
			})
			hasNot(t, question, "SNAPSHOT", "snapshot", "eval", "pgrep", "/dev/null")
			id := pendingID.FindStringSubmatch(question)
			if id == nil {
				t.Fatalf("no id in %q", question)
			}
			person.run("extdird --dir " + s.dir + " approve " + id[1] + " --once")
			out := host.wait(mark, "the end", atPrompt)
			has(t, out, " 0 the-inside", " 0 the-secret", " 0 1")
			hasNot(t, out, "refused")
		})
	}
}

// A line that is nearly the host's is the agent's: judged whole.
func TestSpoiltFrame(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
	f := frames[0]
	s.write(filepath.Join(s.home, f.snapshot), "")
	text := strings.ReplaceAll(strings.ReplaceAll(f.text, "HOME", s.home), "SNAPSHOT", f.snapshot)
	text = strings.Replace(text, "‹›", "'touch ran'", 1)
	var argvs strings.Builder
	for _, bad := range []string{
		text + "; cat " + s.outside + "/secret.txt",
		strings.Replace(text, "< /dev/null", "< "+s.outside+"/secret.txt", 1),
		strings.Replace(text, s.home+"/"+f.snapshot, s.outside+"/secret.txt", 1),
		strings.Replace(text, "/tmp/claude-e1d7-cwd", s.outside+"/claude-e1d7-cwd", 1),
	} {
		argvs.WriteString("bash\t-c\t" + bad + "\n")
	}
	s.write(s.project+"/argvs", argvs.String())
	out := s.pane().run("extdird --dir " + s.dir + " run --agent claude -- env EXTDIR_TEST_AGENT=1 " + self + " ./argvs")
	if n := strings.Count(out, " 126  refused"); n != 4 {
		t.Errorf("%d of 4 were refused:\n%s", n, out)
	}
	if _, err := os.Stat(s.project + "/ran"); err == nil {
		t.Error("something of a refused line ran")
	}
}
