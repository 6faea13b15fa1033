package integration

import (
	"os"
	"strings"
	"testing"
)

// From a machine without extdir to guarded shells and agents and back, byte for byte.
func TestInstall(t *testing.T) {
	s := newStage(t)
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, s.top+"/claude"); err != nil {
		t.Fatal(err)
	}
	settings := s.home + "/.claude/settings.json"
	s.write(settings, "{\n  // mine\n  \"model\": \"opus\"\n}\n")
	s.write(s.home+"/.bashrc", "PS1='"+prompt+"'") // no end of line
	files := []string{settings, s.home + "/.bashrc", s.home + "/.zshrc", s.home + "/.zshenv"}
	read := func() (texts []string) {
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				b = []byte("there is none")
			}
			texts = append(texts, string(b))
		}
		return texts
	}
	before := read()
	person := s.pane()
	call := "extdird --dir " + s.dir + " "

	// Nothing without a yes.
	mark := person.line(call + "install --shell bash,zsh --agent claude")
	out := person.waitFor(mark, "change these files? [y/N]")
	has(t, out, "+ eval \"$(", "PreToolUse", settings)
	person.keys("n")
	person.enter()
	has(t, person.wait(mark, "the prompt", atPrompt), "nothing was changed")
	if now := read(); strings.Join(now, "\x00") != strings.Join(before, "\x00") {
		t.Fatal("a no changed something")
	}
	has(t, person.run(call+"install --shell bash,zsh --agent claude --yes | tail -1"), "done")
	installed := read()
	if strings.Join(installed, "\x00") == strings.Join(before, "\x00") {
		t.Fatal("a yes changed nothing")
	}
	has(t, installed[0], "// mine")
	out = person.run(call + "install --shell bash,zsh --agent claude")
	has(t, out, "bash is guarded already", "claude is guarded already")
	hasNot(t, out, "[y/N]")
	if now := read(); strings.Join(now, "\x00") != strings.Join(installed, "\x00") {
		t.Error("a second install changed something")
	}

	// New shells are guarded; what an agent starts finds the hook and the guard.
	inEachShell(t, func(t *testing.T, shell string) {
		p := s.paneOf(shell)
		out := p.run("cat " + s.outside + "/secret.txt")
		has(t, out, "extdir: blocked")
		hasNot(t, out, "the-secret")
	})
	has(t, person.run(call+"status"), "bash, zsh", "claude: its hook has not called")
	b, _ := os.ReadFile(settings)
	_, hook, _ := strings.Cut(string(b), `"command": "`)
	hook, _, _ = strings.Cut(hook, `"`)
	s.write(s.project+"/steps", `[{"Line": "cat in.txt"}, {"File": "`+s.outside+`/secret.txt"}]`)
	out = s.paneOf("bash").run("EXTDIR_TEST_HOST=1 " + s.top + "/claude claude ./steps " + hook)
	has(t, out, "the-inside", "step 1 denied")
	has(t, person.run(call+"status"), "claude: its hook called 2 times")

	// An agent can't take it away, by the command or by hand.
	robot := s.guarded("--agent", "robot")
	for _, line := range []string{call + "uninstall --yes", call + "install --yes --agent gemini", "sed -i d " + settings, "rm " + s.home + "/.bashrc"} {
		has(t, robot.run(line), "extdir: blocked")
	}
	if now := read(); strings.Join(now, "\x00") != strings.Join(installed, "\x00") {
		t.Fatal("an agent changed something")
	}

	out = person.run(call + "uninstall --yes | tail -1")
	has(t, out, "done")
	after := read()
	for i, f := range files {
		if after[i] != before[i] {
			t.Errorf("%s is %q, and was %q", f, after[i], before[i])
		}
	}
	has(t, person.run(call+"uninstall"), "nothing of extdir is in place")
	p := s.paneOf("bash")
	has(t, p.run("cat "+s.outside+"/secret.txt"), "the-secret")
}
