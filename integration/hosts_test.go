package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"extdir/hook/agent"
)

// A fake host does what the documentation of a real one says: it runs the hook with the
// payload of that host, reads the decision as that host would, and only then uses the
// tool, a shell line in the host's frame or a file. What it can't make sense of it lets
// pass, as the hosts do.
type fakeHost struct {
	payload func(tool string, input map[string]any, cwd string) map[string]any
	// decision reads what a hook printed and its status: "run", "deny" or "ask".
	decision func(out, errs string, status int) string
	shell    string // name of its shell tool
	read     string // name of its reading tool
	readKey  string
}

func nested(out, errs string, status int) string {
	var d struct {
		Out struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	switch {
	case status == 2 && strings.TrimSpace(errs) != "":
		return "deny"
	case status != 0 || json.Unmarshal([]byte(out), &d) != nil || d.Out.Reason == "":
		return "run"
	}
	return map[string]string{"deny": "deny", "ask": "ask"}[d.Out.Decision]
}

func flat(key string) func(out, errs string, status int) string {
	return func(out, _ string, status int) string {
		var d map[string]any
		err := json.Unmarshal([]byte(out), &d)
		switch {
		case status == 2 || err == nil && d[key] == "deny":
			return "deny"
		case err == nil && d[key] == "ask":
			return "ask"
		}
		return "run"
	}
}

func claudeLike(event string) func(string, map[string]any, string) map[string]any {
	return func(tool string, input map[string]any, cwd string) map[string]any {
		return map[string]any{
			"session_id": "s", "transcript_path": "/x", "cwd": cwd, "permission_mode": "default", "hook_event_name": event,
			"tool_name": tool, "tool_input": input, "tool_use_id": "t",
		}
	}
}

var fakeHosts = map[string]fakeHost{
	"claude": {claudeLike("PreToolUse"), nested, "Bash", "Read", "file_path"},
	"codex":  {claudeLike("PreToolUse"), nested, "Bash", "view_image", "path"},
	"gemini": {claudeLike("BeforeTool"), flat("decision"), "run_shell_command", "read_file", "absolute_path"},
	"cursor": {func(tool string, input map[string]any, cwd string) map[string]any {
		m := map[string]any{"conversation_id": "c", "cursor_version": "2", "workspace_roots": []string{cwd}}
		if tool == "Shell" {
			m["hook_event_name"], m["command"], m["cwd"] = "beforeShellExecution", input["command"], ""
			return m
		}
		m["hook_event_name"], m["tool_name"], m["tool_input"] = "preToolUse", tool, input
		return m
	}, flat("permission"), "Shell", "Read", "file_path"},
	"copilot": {func(tool string, input map[string]any, cwd string) map[string]any {
		args, _ := json.Marshal(input)
		return map[string]any{"sessionId": "s", "timestamp": 1, "cwd": cwd, "toolName": tool, "toolArgs": string(args)}
	}, flat("permissionDecision"), "bash", "view", "path"},
	"opencode": {plugged, flatReason, "bash", "read", "filePath"},
	"pi":       {plugged, flatReason, "bash", "read", "path"},
}

func plugged(tool string, input map[string]any, cwd string) map[string]any {
	return map[string]any{"tool": tool, "input": input, "cwd": cwd}
}

func flatReason(out, _ string, status int) string {
	if status == 0 && out == "" {
		return "run"
	}
	return "deny"
}

// step is one call of a tool.
type step struct {
	Line, File string
	Answer     string // to the host's own question: yes, no
	Raw        string // the payload itself, instead
	Extra      bool   // fields and values of a version to come
}

// host plays a fake host: os.Args[1:] are the host's name, the file with its steps, and
// the hook's command line.
func playHost(name, file string, hook []string) {
	h := fakeHosts[name]
	var steps []step
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &steps)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	cwd, _ := os.Getwd()
	for i, s := range steps {
		payload := h.payload(h.shell, map[string]any{"command": s.Line, "description": "d"}, cwd)
		if s.File != "" {
			payload = h.payload(h.read, map[string]any{h.readKey: s.File, "offset": 1}, cwd)
		}
		if s.Extra {
			payload["permission_mode"], payload["schema"], payload["cwd_of_the_future"] = "telepathy", map[string]any{"v": 9}, []int{1}
		}
		text, _ := json.Marshal(payload)
		if s.Raw != "" {
			text = []byte(s.Raw)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		cmd := exec.CommandContext(ctx, "sh", "-c", strings.Join(hook, " "))
		var out, errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &errs
		cmd.Run()
		cancel()
		did := h.decision(out.String(), errs.String(), cmd.ProcessState.ExitCode())
		if did == "ask" {
			fmt.Printf("step %d host asks: %s\n", i, strings.TrimSpace(out.String()))
			if did = "deny"; s.Answer == "yes" {
				did = "run"
			}
		}
		if did == "deny" {
			fmt.Printf("step %d denied %s%s\n", i, strings.TrimSpace(out.String()), strings.TrimSpace(errs.String()))
			continue
		}
		if s.File != "" {
			b, err := os.ReadFile(s.File)
			fmt.Printf("step %d read %q %v\n", i, b, err)
			continue
		}
		run := exec.Command("bash", "-c", s.Line)
		got, err := run.CombinedOutput()
		fmt.Printf("step %d ran %q %v\n", i, got, err)
	}
}

// stageHost makes a stage with a fake host, and returns how it is started.
func stageHost(t *testing.T, name string, rules string) (s *stage, play func(p *pane, steps ...step) (mark int)) {
	s = newStage(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s.config(rules)
	s.guardEveryShell()
	program := map[string]string{"cursor": "cursor-agent"}[name]
	if program == "" {
		program = name
	}
	if err := os.Symlink(self, s.top+"/"+program); err != nil {
		t.Fatal(err)
	}
	hook := strings.Join([]string{filepath.Join(bin, "extdir-hook"), "socket=" + s.dir + "/run/extdird.sock", "extdird=" + extdird(), "dir=" + s.dir, "agent", name}, " ")
	return s, func(p *pane, steps ...step) int {
		b, err := json.Marshal(steps)
		if err != nil {
			t.Fatal(err)
		}
		s.write(s.project+"/steps", string(b))
		return p.line("EXTDIR_TEST_HOST=1 " + s.top + "/" + program + " " + name + " ./steps " + hook)
	}
}

func TestHosts(t *testing.T) {
	for _, name := range agent.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, play := stageHost(t, name, "{}")
			s.config(`{"permission": {"external_directory": {"` + s.outside + `": "ask", "` + s.outside + `/other.txt": "deny"}}}`)
			person, host := s.pane(), s.paneOf("bash")
			pause()
			secret, other := s.outside+"/secret.txt", s.outside+"/other.txt"

			// Allowed without a word, denied with a reason; a version to come, and what
			// can't be read.
			mark := play(host,
				step{Line: "cat in.txt"}, step{File: s.project + "/in.txt"}, step{Line: "cat " + other}, step{File: other},
				step{Line: "cat in.txt", Extra: true}, step{Line: "cat " + other, Extra: true},
				step{Line: "cat " + other, Raw: "{"}, step{Line: "cat " + other, Raw: ""},
			)
			out := host.wait(mark, "the end", atPrompt)
			for i, want := range []string{"ran", "read", "denied", "denied", "ran", "denied", "denied"} {
				has(t, out, fmt.Sprintf("step %d %s", i, want))
			}
			hasNot(t, out, "the-other")
			has(t, out, "the-inside", "other.txt is outside", "isn't understood")

			// Asked: in the host where it asks, else elsewhere. Yes is once for the line,
			// and the shell that the host hands it to doesn't ask again.
			mark = play(host, step{Line: "cat " + secret, Answer: "yes"}, step{Line: "cat " + secret, Answer: "no"})
			answer := func(how string) {
				var question string
				s.until("the question", func() bool {
					question = person.run("extdird --dir " + s.dir + " pending")
					return strings.Contains(question, "cat "+secret)
				})
				id := pendingID.FindStringSubmatch(question)
				if id == nil {
					t.Fatalf("no id in %q", question)
				}
				person.run("extdird --dir " + s.dir + " " + strings.Replace(how, "ID", id[1], 1))
			}
			asks := name == "claude" || name == "cursor" || name == "copilot"
			if !asks {
				answer("approve ID --once")
				answer("deny ID --reason 'use ./tmp'")
			}
			out = host.wait(mark, "the end", atPrompt)
			has(t, out, "step 0 ran", "the-secret", "step 1 denied")
			if n := strings.Count(out, "the-secret"); n != 1 {
				t.Errorf("the line ran %d times:\n%s", n, out)
			}
			if asks {
				has(t, out, "host asks", "cat "+secret)
			} else {
				has(t, out, "use ./tmp")
			}

			// A daemon that hangs or is gone: nothing runs.
			pid := s.daemonPid()
			syscall.Kill(pid, syscall.SIGSTOP)
			mark = play(host, step{Line: "cat in.txt"})
			out = host.textAfter(mark)
			s.until("the refusal of a hung daemon", func() bool { out = host.textAfter(mark); return strings.Contains(out, "extdir: blocked") })
			syscall.Kill(pid, syscall.SIGCONT)
			hasNot(t, out, "the-inside")
			host.wait(mark, "the end", atPrompt)

			// Killed, it is started again and judges; where it can't be, nothing runs.
			s.until("the daemon to answer again", func() bool { return s.daemonPid() != 0 })
			s.killDaemon()
			s.until("a new daemon", func() bool { // a busy machine may need more than the half second one is given
				mark = play(host, step{Line: "cat in.txt"}, step{File: other})
				out = host.wait(mark, "the end", atPrompt)
				pause()
				return strings.Contains(out, "the-inside")
			})
			has(t, out, "step 1 denied")
			s.until("the daemon to answer again", func() bool { return s.daemonPid() != 0 })
			s.killDaemon()
			b, _ := json.Marshal([]step{{File: s.project + "/in.txt"}})
			s.write(s.project+"/steps", string(b))
			program := map[string]string{"cursor": "cursor-agent"}[name]
			if program == "" {
				program = name
			}
			out = s.pane().run("EXTDIR_TEST_HOST=1 " + s.top + "/" + program + " " + name + " ./steps " +
				filepath.Join(bin, "extdir-hook") + " socket=" + s.dir + "/run/extdird.sock extdird=" + s.top + "/gone dir=" + s.dir + " agent " + name)
			has(t, out, "step 0 denied", "extdir: blocked")
			hasNot(t, out, "the-inside")
		})
	}
}

// The words of a host's tools, each with what they would touch.
func TestHostTools(t *testing.T) {
	s, _ := stageHost(t, "claude", "{}")
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
	self, _ := os.Executable()
	hook := filepath.Join(bin, "extdir-hook") + " socket=" + s.dir + "/run/extdird.sock extdird=" + extdird() + " dir=" + s.dir
	o := s.outside
	var steps []step
	var want []string
	for _, c := range []struct{ tool, input, want string }{
		{"Write", `{"file_path": "` + o + `/new", "content": "x"}`, "denied"},
		{"Edit", `{"file_path": "../../out/new", "old_string": "/etc/passwd"}`, "denied"},
		{"Edit", `{"file_path": "src/a.go", "new_string": "` + o + `/x"}`, "ran"},
		{"MultiEdit", `{"file_path": "` + o + `/new", "edits": []}`, "denied"},
		{"NotebookEdit", `{"notebook_path": "` + o + `/a.ipynb"}`, "denied"},
		{"Glob", `{"pattern": "` + o + `/**/*.go"}`, "denied"},
		{"Glob", `{"pattern": "**/*.go"}`, "ran"},
		{"Glob", `{"pattern": "*", "path": "` + o + `"}`, "denied"},
		{"Grep", `{"pattern": "` + o + `/x", "path": "src"}`, "ran"},
		{"Grep", `{"pattern": "x", "path": "` + o + `"}`, "denied"},
		{"LS", `{"path": "` + o + `"}`, "denied"},
		{"Read", `{"file_path": 7}`, "denied"},
		{"Read", `{}`, "ran"},
		{"WebFetch", `{"url": "https://a` + o + `"}`, "ran"},
		{"Task", `{"prompt": "cat ` + o + `/secret.txt"}`, "ran"},
		{"mcp__fs__read_file", `{"path": "` + o + `/secret.txt"}`, "denied"},
		{"mcp__fs__read_multiple_files", `{"paths": ["src", "` + o + `/x"]}`, "denied"},
		{"mcp__web__search", `{"query": "` + o + `"}`, "ran"},
		{"Bash", `{"command": "cat ` + o + `/secret.txt", "run_in_background": true}`, "denied"},
		{"Bash", `{"command": ""}`, "denied"},
		{"Bash", `{"command": ["bash", "-lc", "cat ` + o + `/secret.txt"]}`, "denied"},
		{"apply_patch", `{"input": "*** Begin Patch\n*** Update File: ` + o + `/x\n*** End Patch"}`, "denied"},
		{"apply_patch", `{"input": "*** Begin Patch\n*** Add File: src/x\n+` + o + `\n*** End Patch"}`, "ran"},
	} {
		steps = append(steps, step{Line: "true", Raw: `{"hook_event_name":"PreToolUse","cwd":"` + s.project + `","permission_mode":"bypassPermissions","tool_name":"` + c.tool + `","tool_input":` + c.input + `}`})
		want = append(want, c.want+"\x00"+c.tool+" "+c.input)
	}
	b, _ := json.Marshal(steps)
	s.write(s.project+"/steps", string(b))
	if err := os.Symlink(self, s.top+"/claude"); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	out := s.paneOf("bash", "--norc", "--noprofile").run("EXTDIR_TEST_HOST=1 " + s.top + "/claude claude ./steps " + hook + " agent claude 2>&1 | cut -c1-60")
	for i, w := range want {
		verdict, what, _ := strings.Cut(w, "\x00")
		if !strings.Contains(out, fmt.Sprintf("step %d %s", i, verdict)) {
			t.Errorf("step %d, %s: not %s", i, what, verdict)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// The plug-ins run in the program they are for, or in one like it.
func TestPlugins(t *testing.T) {
	needs(t, "node")
	s, _ := stageHost(t, "opencode", "{}")
	s.config(`{"permission": {"external_directory": {"` + s.outside + `": "deny"}}}`)
	argv := func(name string) []string {
		return []string{filepath.Join(bin, "extdir-hook"), "socket=" + s.dir + "/run/extdird.sock", "extdird=" + extdird(), "dir=" + s.dir, "agent", name}
	}
	s.write(s.top+"/opencode.mjs", agent.Plugin("opencode", argv("opencode")))
	s.write(s.top+"/play.mjs", `
import { Extdir } from "./opencode.mjs"
const hooks = await Extdir({ directory: process.argv[2] })
for (const [tool, args] of [["bash", { command: "cat in.txt" }], ["bash", { command: "cat `+s.outside+`/secret.txt" }], ["read", { filePath: "`+s.outside+`/secret.txt" }], ["webfetch", { url: "x" }]]) {
  try {
    await hooks["tool.execute.before"]({ tool, sessionID: "s", callID: "c" }, { args })
    console.log(tool, "goes on")
  } catch (e) {
    console.log(tool, "throws", e.message)
  }
}
`)
	out := s.paneOf("bash", "--norc", "--noprofile").run("node " + s.top + "/play.mjs " + s.project)
	has(t, out, "bash goes on", "bash throws extdir: blocked: cat "+s.outside, "read throws extdir: blocked: read "+s.outside, "webfetch goes on")

	// TypeScript without its types is JavaScript.
	text := agent.Plugin("pi", argv("pi"))
	for _, types := range []string{": string[]", " as any", ": object", "<string | undefined>", ": any"} {
		text = strings.ReplaceAll(text, types, "")
	}
	s.write(s.top+"/pi.mjs", text)
	s.write(s.top+"/play.mjs", `
import extension from "./pi.mjs"
let ask
extension({ on: (event, f) => { ask = f } })
for (const [toolName, input] of [["bash", { command: "cat in.txt" }], ["bash", { command: "cat `+s.outside+`/secret.txt" }], ["write", { path: "`+s.outside+`/x", content: "" }]]) {
  console.log(toolName, JSON.stringify(await ask({ type: "tool_call", toolName, input }, { cwd: process.argv[2] })))
}
`)
	out = s.paneOf("bash", "--norc", "--noprofile").run("node " + s.top + "/play.mjs " + s.project)
	has(t, out, "bash undefined", `bash {"block":true,"reason":"extdir: blocked: cat `+s.outside, `write {"block":true`)
}
