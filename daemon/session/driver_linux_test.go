package session

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestAgentOf(t *testing.T) {
	for _, tt := range []struct{ comm, exe, args, want string }{
		{"claude", "/usr/bin/node", "claude", "claude"},
		{"node", "/usr/bin/node", "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --resume", "claude"},
		{"node", "/usr/bin/node", "node --no-warnings=DEP0040 /home/u/.npm-global/bin/gemini --yolo", "gemini"},
		{"MainThread", "/usr/bin/node", "node /usr/local/bin/pi", "pi"},
		{"2.1.105", "/home/u/.local/share/claude/versions/2.1.105", "claude", "claude"},
		{"codex", "/usr/lib/node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/codex/codex", "codex exec", "codex"},
		{"python3.12", "/usr/bin/python3.12", "/usr/bin/python3.12 /home/u/.local/bin/aider --model x", "aider"},
		{"uv", "/usr/bin/uv", "uv tool run aider", "aider"},
		{"npm exec @googl", "/usr/bin/node", "npm exec @google/gemini-cli", "gemini"},
		{"bun", "/usr/bin/bun", "bun run opencode", "opencode"},
		{"node", "/usr/bin/node", "node server.js", ""},
		{"node", "/usr/bin/node", "node server.js gemini", ""},
		{"vim", "/usr/bin/vim", "vim claude", ""},
		{"cat", "/bin/cat", "cat /home/u/.local/bin/aider", ""},
		{"python3", "/usr/bin/python3", "python3 -m http.server", ""},
		{"python3", "/usr/bin/python3", "python3 claude.py", "claude"},
		{"ping", "/bin/ping", "ping pi", ""},
	} {
		if got := (&Programs{}).agentOf(tt.comm, tt.exe, strings.Fields(tt.args)); got != tt.want {
			t.Errorf("%s (%s) %q: %q, want %q", tt.comm, tt.exe, tt.args, got, tt.want)
		}
	}
}

// above sets up what stands above a shell, from the terminal down, and returns the
// shell: names, an agent's in its place or its script in parentheses. "tty" after a
// name gives what follows a terminal of its own.
func above(w *world, chain string) (shell Peer) {
	w.desk()
	pid, tty := 101, 1
	for n := range strings.SplitSeq(chain, " > ") {
		p := proc{pid: pid + 1, ppid: pid, start: pid + 1}
		name, args, _ := strings.Cut(n, "(")
		if args != "" {
			p.args = name + " " + strings.TrimSuffix(args, ")")
		}
		if rest, own := strings.CutSuffix(name, " pty"); own {
			name, tty = rest, tty+1
		}
		p.comm, p.tty = name, tty
		shell = w.add(p)
		pid++
	}
	return shell
}

func TestDriver(t *testing.T) {
	for _, tt := range []struct {
		chain string // below the person's own terminal and its shell
		rc    bool   // that shell is guarded
		want  string // driver, and the agent with where its session is anchored
	}{
		{"bash", false, "human"},
		{"bash", true, "human"},
		{"claude > bash", false, "agent claude 102"},
		{"claude > bash", true, "agent claude 102"},
		{"node(/x/@google/gemini-cli/dist/index.js) > bash", true, "agent gemini 102"},
		{"claude > bash > codex > bash", true, "agent claude 102"},
		{"bash > zsh > claude > env > timeout > bash", true, "agent claude 104"},
		{"make > bash", true, "human"},
		{"robot > bash", true, "human"}, // on the person's own terminal
		{"robot > bash pty", true, "agent robot 102"},
		{"robot > helper > bash pty", true, "agent robot 102"},
		{"robot > bash pty", false, "agent robot 102"},
		{"robot > bash", false, "agent robot 102"},
		{"script > bash pty", true, "human"},
		{"script > bash pty", false, "human"},
		{"sudo > su > bash", false, "human"},
		{"vim > bash pty", true, "human"},
		{"xterm > bash pty", true, "human"},
		{"xterm > robot > bash pty", false, "agent robot 103"},
		{"python3 > tmux: server > bash pty", false, "human"},
		{"python3 > bash pty", false, "agent python3 102"},
		{"bash > python3 > env > bash pty", true, "agent python3 103"},
	} {
		t.Run(tt.chain, func(t *testing.T) {
			w := newWorld(t)
			m := w.manager()
			p := above(w, tt.chain)
			if tt.rc {
				if _, _, err := m.Find(Peer{Pid: 101, UID: testUID, Pidfd: -1, Start: 101}, 101, "bash"); err != nil {
					t.Fatal(err)
				}
			}
			s, _, err := m.Find(p, p.Pid, "bash")
			if err != nil {
				t.Fatal(err)
			}
			got := s.Driver
			if s.Driver == Agent {
				got += " " + s.Agent + " " + strconv.Itoa(s.Anchor.Pid)
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// Names that the configuration adds count as those that are known, from when they are
// there.
func TestNamedPrograms(t *testing.T) {
	for chain, want := range map[string]string{
		"robot-with-a-long-name > bash":      "robot",
		"robot-with-a-lo > bash":             "robot", // as the kernel cuts it
		"node(/lib/robot/main.js) > bash":    "robot",
		"node(/usr/bin/bot.mjs -x) > bash":   "robot",
		"node(/lib/other/main.js) > bash":    "node",
		"claude > bash":                      "claude",
		"python3 > myterm > bash pty":        "",
		"python3 > yourterm > bash pty":      "python3",
		"myterm > python3 > bash pty > bash": "python3",
	} {
		w := newWorld(t)
		named := &Programs{}
		m := w.manager(func(c *Config) { c.Programs = func() *Programs { return named } })
		named = NewPrograms(map[string][]string{"robot": {"robot-with-a-long-name", "/lib/robot/", "bot"}}, []string{"myterm"})
		p := above(w, chain)
		s, _, err := m.Find(p, p.Pid, "bash")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Agent; got != want || (s.Driver == Agent) != (want != "") {
			t.Errorf("%s: %s %q, want %q", chain, s.Driver, got, want)
		}
	}
}

// The marker of a host counts where its process can't be seen any more.
func TestMarker(t *testing.T) {
	for env, want := range map[string]string{"CLAUDECODE=1": "claude", "CLAUDECODE=": "", "CLAUDECODE=0": "", "GEMINI_CLI=1": "gemini", "A=1": "", "": ""} {
		w := newWorld(t)
		m := w.manager()
		w.add(proc{pid: 60, ppid: 1, comm: "tmux: server", start: 60, master: 5})
		p := w.add(proc{pid: 70, ppid: 60, comm: "bash", start: 70, tty: 5, env: "HOME=/home/u " + env})
		s, _, err := m.Find(p, 70, "bash")
		if err != nil {
			t.Fatal(err)
		}
		if s.Agent != want || (s.Driver == Agent) != (want != "") {
			t.Errorf("%q: %s %q", env, s.Driver, s.Agent)
		}
	}
}

// All the shells of one agent are one session, whose root is where the agent was
// started; its -c lines are judged, those below them not.
func TestShellsOfAnAgent(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	project := filepath.Join(t.TempDir(), "p")
	for _, d := range []string{".git/objects", ".git/refs", "src"} {
		if err := os.MkdirAll(filepath.Join(project, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(project, ".git/HEAD"), nil, 0o644)
	w.add(proc{pid: 200, ppid: 101, comm: "claude", start: 200, tty: 1, cwd: filepath.Join(project, "src")})
	key := ""
	for n := range 5 {
		p := w.add(proc{pid: 300 + n, ppid: 200, comm: "bash", start: 300 + n})
		judge, s, _, err := m.Judge(p, p.Pid, "bash")
		if err != nil || !judge {
			t.Fatal(judge, err)
		}
		if key == "" {
			key = s.Key
		}
		if s.Key != key || s.Agent != "claude" || len(s.Roots) != 1 || filepath.Base(s.Roots[0]) != "p" {
			t.Fatalf("%+v", s)
		}
		w.add(proc{pid: 400, ppid: p.Pid, comm: "make", start: 400 + n})
		below := w.add(proc{pid: 401, ppid: 400, comm: "sh", start: 401 + n})
		if judge, _, _, err := m.Judge(below, 401, "bash"); judge || err != nil {
			t.Errorf("below a judged line: %v %v", judge, err)
		}
		for _, pid := range []int{400, 401, p.Pid} {
			w.kill(pid)
		}
		m.Sweep()
	}
	if n := len(m.Sessions()); n != 1 {
		t.Errorf("%d sessions", n)
	}
	m.mu.Lock()
	shells := len(m.shells)
	m.mu.Unlock()
	if shells > 0 {
		t.Errorf("%d shells are remembered that ended", shells)
	}
	w.kill(200)
	m.Sweep()
	if n := len(m.Sessions()); n != 0 {
		t.Errorf("the agent ended, %d sessions are left", n)
	}
}

// What an agent started by a line of another hands to a shell is its own words, and
// belongs to the session.
func TestAgentOfAnAgent(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	w.add(proc{pid: 200, ppid: 101, comm: "claude", start: 200, tty: 1})
	line := w.add(proc{pid: 210, ppid: 200, comm: "bash", start: 210})
	judge, outer, _, err := m.Judge(line, 210, "bash")
	if err != nil || !judge {
		t.Fatal(judge, err)
	}
	w.add(proc{pid: 220, ppid: 210, comm: "timeout", start: 220})
	w.add(proc{pid: 230, ppid: 220, comm: "node", start: 230, args: "node /usr/bin/codex exec"})
	for n, c := range []struct {
		ppid int
		want bool
	}{{230, true}, {220, false}, {210, false}, {230, true}} {
		p := w.add(proc{pid: 300 + n, ppid: c.ppid, comm: "bash", start: 300 + n})
		judge, s, _, err := m.Judge(p, p.Pid, "bash")
		if err != nil || judge != c.want || s.Key != outer.Key {
			t.Errorf("below %d: %v %s %v", c.ppid, judge, s.Key, err)
		}
	}
}

// Two agents started from one shell are two sessions.
func TestTwoAgents(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	keys := map[string]bool{}
	for i, name := range []string{"claude", "codex", "claude"} {
		w.add(proc{pid: 200 + i, ppid: 101, comm: name, start: 200 + i, tty: 1})
		p := w.add(proc{pid: 300 + i, ppid: 200 + i, comm: "bash", start: 300 + i})
		_, s, _, err := m.Judge(p, p.Pid, "bash")
		if err != nil || s.Agent != name {
			t.Fatalf("%+v %v", s, err)
		}
		keys[s.Key] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d sessions", len(keys))
	}
}

// What descends from an agent's program is no person, though no shell of it has
// spoken yet; nor is what runs on its terminal.
func TestPersonBelowAgentProgram(t *testing.T) {
	w := newWorld(t)
	m := w.manager()
	w.desk()
	w.add(proc{pid: 200, ppid: 101, comm: "node", start: 200, tty: 1, args: "node /usr/bin/opencode"})
	p := w.add(proc{pid: 300, ppid: 200, comm: "extdird", start: 300, tty: 1, exe: w.own})
	if s := m.Person(p); s.OK || !strings.Contains(s.Refusal, "opencode") {
		t.Errorf("%+v", s)
	}
	// Another terminal, older than the agent.
	w.add(proc{pid: 102, ppid: 50, comm: "xterm", start: 102, master: 2})
	w.add(proc{pid: 103, ppid: 102, comm: "bash", start: 103, tty: 2, background: true})
	p = w.add(proc{pid: 301, ppid: 103, comm: "extdird", start: 301, tty: 2, exe: w.own})
	if s := m.Person(p); !s.OK {
		t.Errorf("%+v", s)
	}
	// On the agent's own terminal.
	p = w.add(proc{pid: 302, ppid: 101, comm: "extdird", start: 302, tty: 1, exe: w.own})
	if s := m.Person(p); s.OK {
		t.Error("the agent's terminal answers")
	}
}
