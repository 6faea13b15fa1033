package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

func TestInsert(t *testing.T) {
	read := policy.Entry{Surface: "external_directory", Pattern: "/srv/data", Read: policy.Allow}
	command := policy.Entry{Surface: "bash", Pattern: "git push *", Read: policy.Allow, Write: policy.Allow, Execute: policy.Allow}
	for _, c := range []struct {
		name    string
		rule    policy.Entry
		line    int // of the rule that decided; 0: in another layer
		col     int
		old, in string
	}{
		{"no file", read, 0, 0, "", `{
  "permission": { "external_directory": { "/srv/data": { "read": "allow" } } }
}
`},
		{"no permission", read, 0, 0, `{
  // mine
  "human": "ask" // always
}
`, `{
  "permission": { "external_directory": { "/srv/data": { "read": "allow" } } },
  // mine
  "human": "ask" // always
}
`},
		{"no surface", command, 0, 0, `{
	"permission": {
		"path": "ask", // all
	},
}
`, `{
	"permission": {
		"path": "ask", // all
		"bash": { "git push *": "allow" }
	},
}
`},
		{"after the star, a comment stays", read, 0, 0, `{
  "permission": {
    "external_directory": {
      // first
      "*": "ask", // the star
      // second
      "/opt": "allow"
    }
  }
}
`, `{
  "permission": {
    "external_directory": {
      // first
      "*": "ask", // the star
      "/srv/data": { "read": "allow" },
      // second
      "/opt": "allow"
    }
  }
}
`},
		{"first without a star", read, 0, 0, `{
  "permission": {
    "external_directory": {
      "/opt": "allow"
    }
  }
}
`, `{
  "permission": {
    "external_directory": {
      "/srv/data": { "read": "allow" },
      "/opt": "allow"
    }
  }
}
`},
		{"after the rule that decided, the last", read, 5, 7, `{
  "permission": {
    "external_directory": {
      "*": "ask",
      "/srv": "ask" // why
    }
  }
}
`, `{
  "permission": {
    "external_directory": {
      "*": "ask",
      "/srv": "ask", // why
      "/srv/data": { "read": "allow" }
    }
  }
}
`},
		{"in the section of the rule that decided", read, 5, 7, `{
  "permission": { "external_directory": { "*": "ask" } },
  "projects": { "/code/app": { "permission": { "external_directory": {
      // here
      "/srv": "ask",
      "/opt": "ask"
  } } } }
}
`, `{
  "permission": { "external_directory": { "*": "ask" } },
  "projects": { "/code/app": { "permission": { "external_directory": {
      // here
      "/srv": "ask",
      "/srv/data": { "read": "allow" },
      "/opt": "ask"
  } } } }
}
`},
		{
			"on one line", read, 0, 0, `{"permission": {"external_directory": {"*": "ask", "/opt": "allow"}}}`,
			`{"permission": {"external_directory": {"*": "ask", "/srv/data": { "read": "allow" }, "/opt": "allow"}}}`,
		},
		{
			"an action becomes a star", command, 0, 0, `{"permission": {"bash": "ask"}}`,
			`{"permission": {"bash": { "*": "ask", "git push *": "allow" }}}`,
		},
		{
			"a byte order mark", command, 0, 0, "\ufeff" + `{"permission": {"bash": "ask"}}`,
			"\ufeff" + `{"permission": {"bash": { "*": "ask", "git push *": "allow" }}}`,
		},
	} {
		file := filepath.Join(t.TempDir(), "sub", "config.json")
		if c.old != "" {
			do(t, os.Mkdir(filepath.Dir(file), 0o700))
			write(t, file, c.old)
			do(t, os.Chmod(file, 0o640))
		}
		conf, problems := Load(Options{File: file, Home: "/home/u", Resolve: same})
		if c.old != "" && len(problems) > 0 {
			t.Fatal(problems)
		}
		decided := policy.Origin{}
		if c.line > 0 {
			decided = policy.Origin{Layer: "user", File: file, Line: c.line, Col: c.col}
		}
		change, err := conf.Insert(c.rule, decided, "/code/app", "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.in, string(change.New)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		do(t, change.Write())
		if err := change.Write(); err == nil && c.old != "" {
			t.Errorf("%s: written twice", c.name)
		}
		if st, err := os.Stat(file); err != nil || c.old != "" && st.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v %v", c.name, st.Mode(), err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".extdir-*")); len(left) > 0 {
			t.Errorf("%s: left behind %v", c.name, left)
		}
		after, problems := Load(Options{File: file, Home: "/home/u", Resolve: same})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if c.rule.Surface == "external_directory" {
			if got := judge(after.Policy("/code/app", ""), access.Read, "/srv/data/x"); got != allow {
				t.Errorf("%s: after it %s", c.name, got)
			}
			if got := judge(after.Policy("/code/app", ""), access.Write, "/srv/data/x"); got != prompt {
				t.Errorf("%s: writing after it %s", c.name, got)
			}
		}
	}
}

func TestInsertRefuses(t *testing.T) {
	entry := func(surface, pattern string) policy.Entry {
		return policy.Entry{Surface: surface, Pattern: pattern, Read: policy.Allow, Write: policy.Allow, Execute: policy.Allow}
	}
	for _, c := range []struct {
		src, says string
		rule      policy.Entry
	}{
		{`{}`, `would loosen the rule "~/.ssh" of the defaults as well`, entry("path", "~")},
		{`{"permission": {"external_directory": {"/srv/key": "deny", "*": "ask"}}}`, `would loosen the rule "/srv/key"`, entry("external_directory", "/srv")},
		{"{\"permission\": {\"external_directory\": {\n\"/srv/key\": \"deny\", \"/srv/x\": \"ask\"}}}", "", entry("external_directory", "/srv")},
		{"{\"permission\": {\"external_directory\": {\"/srv/key\": \"ask\",\n\"*\": {\"write\": \"ask\"}}}}", `would loosen the rule "/srv/key" of config.json:1`, entry("external_directory", "/srv")},
		{`{"permission": {"external_directory": {"*": "ask", "/srv": "deny"}}}`, `would have no effect: rule "/srv": "deny", config.json:1 decides`, entry("external_directory", "/srv/x")},
		{`{"x": 1}`, "must be repaired first", entry("path", "/a")},
		{`{}`, "no text", entry("path", "/a\xff")},
		{`{`, "must be repaired first", entry("path", "/a")},
		{`{}`, "must start with", entry("path", "a/b")},
		{"{\"permission\": {\"path\": { /* a\n b */ }}}", "add it by hand", entry("path", "/a")},
		{`{"permission": {"path": {"/a": "ask"}}}`, "add it by hand", entry("path", "/a")},
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		write(t, file, c.src)
		conf, _ := Load(Options{File: file, Home: "/home/u", Resolve: same})
		_, err := conf.Insert(c.rule, policy.Origin{}, "/code/app", "")
		if c.says == "" {
			if err != nil {
				t.Errorf("%s: %v", c.src, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", c.src, err, c.says)
		}
	}
}

// A place that is out of date is not trusted.
func TestInsertAfterTheFileChanged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	write(t, file, `{"permission": {"path": {"/a": "ask"}, "external_directory": {"*": "ask"}}, "human": "ask"}`)
	conf, _ := Load(Options{File: file, Resolve: same})
	for _, col := range []int{2, 17, 26, 77, 999, -3} {
		change, err := conf.Insert(policy.Entry{Surface: "external_directory", Pattern: "/b", Read: policy.Allow},
			policy.Origin{File: file, Line: 1, Col: col}, "", "")
		do(t, err)
		if want := `"external_directory": {"*": "ask", "/b": { "read": "allow" }}`; !strings.Contains(string(change.New), want) {
			t.Errorf("column %d: %s", col, change.New)
		}
	}
}

func TestWriteKeepsOthersChanges(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "dot.json")
	write(t, target, `{"permission": {"bash": {"*": "ask"}}}`)
	file := filepath.Join(dir, "config.json")
	do(t, os.Symlink("dot.json", file))
	conf, _ := Load(Options{File: file, Resolve: same})
	change, err := conf.Insert(policy.Entry{Surface: "bash", Pattern: "ls", Execute: policy.Allow}, policy.Origin{}, "", "")
	do(t, err)
	want := file + ":1\n- {\"permission\": {\"bash\": {\"*\": \"ask\"}}}\n+ {\"permission\": {\"bash\": {\"*\": \"ask\", \"ls\": \"allow\"}}}\n"
	if got := change.Diff(); got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
	write(t, target, `{}`)
	if err := change.Write(); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("written over another change: %v", err)
	}
	write(t, target, string(change.Old))
	do(t, change.Write())
	if l, err := os.Readlink(file); err != nil || l != "dot.json" {
		t.Errorf("the link is gone: %v", err)
	}
	if got, _ := os.ReadFile(target); string(got) != string(change.New) {
		t.Errorf("%s", got)
	}
}

// Whatever the layout, the file stays sound, keeps its rules in their order and
// gets the new one, or the change is refused.
func FuzzInsert(f *testing.F) {
	for _, s := range good {
		f.Add([]byte(s), "/srv/data")
	}
	f.Add([]byte("{/*a\n*/\"permission\"/*b*/:{//c\n\"path\":{\"*\":\"ask\"/*d*/,//e\n}}}"), "/x")
	f.Fuzz(func(t *testing.T, src []byte, pattern string) {
		before, problems := parse("/c/config.json", src, userFile)
		if len(problems) > 0 || policy.Check("path", pattern) != nil || !utf8.ValidString(pattern) {
			return
		}
		e := policy.Entry{Surface: "path", Pattern: pattern, Read: policy.Allow, Write: policy.Ask}
		next, err := insert("/c/config.json", src, e, policy.Origin{})
		if err != nil {
			t.Fatalf("a sound file was refused: %v", err)
		}
		after, problems := parse("/c/config.json", next, userFile)
		if len(problems) > 0 || len(after.rules) != len(before.rules)+1 {
			return // Insert refuses it
		}
		added := 0
		for i, r := range after.rules {
			if i-added < len(before.rules) && r.Surface == before.rules[i-added].Surface && r.Pattern == before.rules[i-added].Pattern {
				continue
			}
			if added++; r.Pattern != pattern || r.Read != policy.Allow || r.Write != policy.Ask || r.Execute != policy.NoOpinion {
				t.Fatalf("rule %d became %+v", i, r)
			}
		}
		if added != 1 {
			t.Fatalf("%d rules were added", added)
		}
	})
}
