package rc

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"extdir/hook/agent"
)

func do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var command = []string{"/opt/extdir/bin/extdir-hook", "socket=/run/user/1000/extdir/extdird.sock", "keep=HOME=/home/a b"}

// files are texts that a file may have before.
var files = map[string][]string{
	"shell": {"", "\n", "PS1=x\n", "PS1=x", "# >>> conda >>>\nx\n# <<< conda <<<\n", "\xff\xfe binary\x00\n", "a\r\nb\r\n"},
	"settings": {
		"", "{}", "{}\n", "{\n  \"model\": \"opus\"\n}\n", "{\n    \"model\": \"opus\",\n    \"hooks\": {}\n}", "{\"hooks\":{\"PreToolUse\":[]}}",
		"{\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{ \"matcher\": \"Bash\", \"hooks\": [ { \"type\": \"command\", \"command\": \"/x/y\" } ] }\n\t\t],\n\t\t\"BeforeTool\": [], \"beforeShellExecution\": [{\"command\": \"x\"}]\n\t},\n\t\"z\": [1, 2,   3]\n}\n",
		"// mine\n{\n  // why\n  \"a\": 1, // because\n  \"hooks\": { \"Stop\": [ {} ], }, /* end */\n}\n",
	},
}

func tree(t *testing.T) (home string, parts []Part) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	do(t, err)
	parts = []Part{Shell("bash", home+"/.bashrc", `eval "$(extdird init bash)"`), Shell("zsh", home+"/z/.zshrc", `eval "$(extdird init zsh)"`)}
	for _, name := range agent.Names() {
		parts = append(parts, Agent(name, home, home+"/.config", command))
	}
	return home, parts
}

// snapshot is all that lies below a directory.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	do(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(path + "\n")
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.Write(text)
			st, err := os.Stat(path)
			if err != nil {
				return err
			}
			b.WriteString(st.Mode().String() + "\n")
		}
		return nil
	}))
	return b.String()
}

func install(t *testing.T, state string, parts []Part) (steps []Step) {
	t.Helper()
	k, err := Open(state)
	do(t, err)
	steps = Plan(parts)
	for _, s := range steps {
		do(t, k.Do(s))
	}
	return steps
}

func uninstall(t *testing.T, state string, parts []Part) {
	t.Helper()
	k, err := Open(state)
	do(t, err)
	for _, s := range k.Leave(parts) {
		if s.Why == "" {
			do(t, k.Undo(s))
		}
	}
}

// Leaving puts every byte back, whatever was there; installing twice changes nothing.
func TestThereAndBack(t *testing.T) {
	for kind, texts := range files {
		for _, text := range texts {
			home, parts := tree(t)
			if text != "" {
				for _, p := range parts {
					if (kind == "shell") != (p.Name == "bash" || p.Name == "zsh") || filepath.Base(p.File) == "extdir.json" || filepath.Ext(p.File) == ".js" || filepath.Ext(p.File) == ".ts" {
						continue
					}
					do(t, os.MkdirAll(filepath.Dir(p.File), 0o755))
					do(t, os.WriteFile(p.File, []byte(text), 0o640))
				}
			}
			before := snapshot(t, home)
			state := t.TempDir()
			for _, s := range install(t, state, parts) {
				if s.Why != "" {
					t.Errorf("%q: %s: %s", text, s.Name, s.Why)
				}
			}
			after := snapshot(t, home)
			for _, s := range install(t, state, parts) {
				if !s.Done {
					t.Errorf("%q: %s is not done after it was", text, s.File)
				}
			}
			if snapshot(t, home) != after {
				t.Errorf("%q: a second install changes something", text)
			}
			for _, p := range parts {
				b, err := os.ReadFile(p.File)
				do(t, err)
				if filepath.Ext(p.File) == ".json" {
					std, err := hujson.Standardize(bytes.Clone(b))
					if err != nil {
						t.Fatalf("%s: %v\n%s", p.File, err, b)
					}
					if json.Valid([]byte(text)) && !json.Valid(b) {
						t.Errorf("%s was JSON and isn't any more:\n%s", p.File, b)
					}
					var any map[string]any
					do(t, json.Unmarshal(std, &any))
				}
				if strings.Contains(text, "// why") && filepath.Base(p.File) == "settings.json" && !bytes.Contains(b, []byte("// because")) {
					t.Errorf("a comment is gone:\n%s", b)
				}
			}
			uninstall(t, state, parts)
			if now := snapshot(t, home); now != before {
				t.Errorf("%q: after leaving\n%s\nbefore\n%s", text, now, before)
			}
			if _, err := os.Stat(state + "/installed.json"); err == nil {
				t.Error("something is remembered after all is undone")
			}
		}
	}
}

// What others wrote meanwhile stays.
func TestChangedMeanwhile(t *testing.T) {
	home, parts := tree(t)
	rcfile, settings := home+"/.bashrc", home+"/.claude/settings.json"
	do(t, os.WriteFile(rcfile, []byte("one"), 0o600))
	do(t, os.MkdirAll(filepath.Dir(settings), 0o755))
	do(t, os.WriteFile(settings, []byte("{\n  \"model\": \"opus\"\n}\n"), 0o600))
	state := t.TempDir()
	install(t, state, parts)
	b, _ := os.ReadFile(rcfile)
	do(t, os.WriteFile(rcfile, append(b, "two\n"...), 0o600))
	b, _ = os.ReadFile(settings)
	do(t, os.WriteFile(settings, bytes.Replace(b, []byte("opus"), []byte("sonnet"), 1), 0o600))
	uninstall(t, state, parts)
	if b, _ = os.ReadFile(rcfile); string(b) != "onetwo\n" && string(b) != "one\ntwo\n" {
		t.Errorf("%q", b)
	}
	if b, _ = os.ReadFile(settings); string(b) != "{\n  \"model\": \"sonnet\"\n}\n" {
		t.Errorf("%q", b)
	}
}

// An update of the command takes the place of the old one, and leaving still goes back
// to the first bytes.
func TestUpdate(t *testing.T) {
	home, parts := tree(t)
	do(t, os.WriteFile(home+"/.bashrc", []byte("one"), 0o600))
	before := snapshot(t, home)
	state := t.TempDir()
	install(t, state, parts)
	parts[0] = Shell("bash", home+"/.bashrc", "another line")
	for i, p := range parts {
		if slices.Contains(agent.Names(), p.Name) {
			parts[i] = Agent(p.Name, home, home+"/.config", []string{"/new/extdir-hook"})
		}
	}
	install(t, state, parts)
	for _, p := range parts[:1] {
		b, _ := os.ReadFile(p.File)
		if strings.Count(string(b), "extdir >>>") != 1 || !strings.Contains(string(b), "another line") {
			t.Errorf("%s", b)
		}
	}
	for _, name := range []string{".claude/settings.json", ".codex/hooks.json"} {
		b, _ := os.ReadFile(filepath.Join(home, name))
		if strings.Count(string(b), "extdir-hook") != 1 || !strings.Contains(string(b), "/new/extdir-hook") {
			t.Errorf("%s", b)
		}
	}
	uninstall(t, state, parts)
	if now := snapshot(t, home); now != before {
		t.Errorf("%s\nbefore\n%s", now, before)
	}
}

// What isn't a plain file of the user's is left alone, and says why.
func TestLeftAlone(t *testing.T) {
	home, parts := tree(t)
	do(t, os.WriteFile(home+"/real", []byte("x\n"), 0o600))
	do(t, os.Symlink("real", home+"/.bashrc"))
	do(t, os.MkdirAll(home+"/z", 0o755))
	do(t, os.WriteFile(home+"/z/.zshrc", nil, 0o400))
	do(t, os.MkdirAll(home+"/.claude/settings.json", 0o755))
	do(t, os.MkdirAll(home+"/.gemini", 0o755))
	do(t, os.WriteFile(home+"/.gemini/settings.json", []byte("{oops"), 0o600))
	do(t, os.MkdirAll(home+"/.codex", 0o755))
	do(t, os.WriteFile(home+"/.codex/hooks.json", []byte(`{"hooks": []}`), 0o600))
	do(t, os.MkdirAll(home+"/.cursor", 0o755))
	do(t, os.WriteFile(home+"/.cursor/hooks.json", []byte(`[]`), 0o600))
	do(t, os.MkdirAll(home+"/.pi/agent/extensions", 0o755))
	do(t, os.WriteFile(home+"/.pi/agent/extensions/extdir.ts", []byte("mine"), 0o600))
	why := map[string]string{}
	for _, s := range Plan(parts) {
		why[s.Name] = s.Why
		if s.Why != "" && s.Text == "" {
			t.Errorf("%s: it isn't said what to add", s.Name)
		}
	}
	for name, want := range map[string]string{
		"bash": "is a link to real", "zsh": "is read-only", "claude": "can't be read", "gemini": "can't be read as JSON",
		"codex": `"hooks" is no object`, "cursor": "is no JSON object", "pi": "not extdir's", "copilot": "", "opencode": "",
	} {
		if !strings.Contains(why[name], want) || (want == "") != (why[name] == "") {
			t.Errorf("%s: %q, want %q", name, why[name], want)
		}
	}
}
