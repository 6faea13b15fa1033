package integration

import (
	"os"
	"strings"
	"testing"
)

// An agent that nobody started with "extdird run" is found by its program: what it
// hands to shells is asked about, in one session, and its terminal answers nothing.
func TestAgentIsFound(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "ask"}}}`)
	s.guardEveryShell()
	for _, name := range []string{"claude", "helper"} {
		if err := os.Symlink(self, s.project+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	secret := "cat " + s.outside + "/secret.txt"
	text := strings.ReplaceAll(strings.ReplaceAll(frames[0].text, "HOME", s.home), "SNAPSHOT", frames[0].snapshot)
	s.write(s.home+"/"+frames[0].snapshot, "")
	framed := strings.Replace(text, "‹›", "'"+secret+"'", 1)
	s.write(s.project+"/argvs", "bash\t-c\tcat in.txt\nbash\t-c\t"+framed+"\nzsh\t-c\t"+secret+"\nbash\t-c\t"+secret+"\n")
	person := s.paneOf("bash", "--norc", "--noprofile") // older than the agent
	host := s.paneOf("bash")
	pause()

	// A program of the person's own: its line was the person's, and nothing is asked.
	out := host.run("EXTDIR_TEST_AGENT=1 ./helper ./argvs")
	if n := strings.Count(out, "the-secret"); n != 3 || strings.Contains(out, "refused") {
		t.Errorf("what a judged line starts is asked about:\n%s", out)
	}

	// … until the configuration says that it is an agent.
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}, "agents": {"robot": {"programs": ["helper"]}}}`)
	out = host.run("EXTDIR_TEST_AGENT=1 ./helper ./argvs")
	if n := strings.Count(out, " 126  refused"); n != 3 || strings.Contains(out, "the-secret") {
		t.Errorf("an agent that the configuration names isn't judged:\n%s", out)
	}
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "ask"}}}`)

	mark := host.line("EXTDIR_TEST_AGENT=1 ./claude ./argvs")
	host.waitFor(mark, "the-inside")
	var question string
	s.until("the question", func() bool {
		question = person.run("extdird --dir " + s.dir + " pending")
		return strings.Contains(question, secret)
	})
	has(t, question, "claude-")
	hasNot(t, question, "snapshot", "eval")
	id := pendingID.FindStringSubmatch(question)
	if id == nil {
		t.Fatalf("no id in %q", question)
	}
	person.run("extdird --dir " + s.dir + " approve " + id[1])
	out = host.wait(mark, "the end", atPrompt)
	// One answer for the session holds over its many shells.
	if n := strings.Count(out, "the-secret"); n != 3 || strings.Contains(out, "refused") {
		t.Errorf("three lines were answered by one approval:\n%s", out)
	}
	// And ended with the agent.
	mark = host.line("EXTDIR_TEST_AGENT=1 ./claude ./argvs")
	host.waitFor(mark, "the-inside")
	s.until("the question of the next agent", func() bool {
		question = person.run("extdird --dir " + s.dir + " pending")
		return strings.Contains(question, secret)
	})
	if id = pendingID.FindStringSubmatch(question); id == nil {
		t.Fatalf("no id in %q", question)
	}
	person.run("extdird --dir " + s.dir + " deny " + id[1] + " --reason 'use ./tmp'")
	s.until("the second question", func() bool {
		question = person.run("extdird --dir " + s.dir + " pending")
		return strings.Contains(question, secret)
	})
	host.key("C-c")
	host.wait(mark, "the end", atPrompt)
}
