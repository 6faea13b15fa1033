package policy

import (
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"pgregory.net/rapid"
)

var testEnv = Env{Home: "/home/u", TmpDir: "/tmp/u", Root: "/code/app"}

func matches(t testing.TB, pat, path string) bool {
	t.Helper()
	p, err := parsePath(pat, &testEnv)
	if err != nil {
		t.Fatal(err)
	}
	var tr trie
	tr.add(p, 0, true)
	hit := len(tr.all) > 0
	tr.match(path, func([]int32) { hit = true })
	return hit
}

func TestPathPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no string // blank-separated
	}{
		{"/tmp", "/tmp /tmp/a /tmp/a/b", "/ /tmpx /var/tmp /t"},
		{"/tmp/", "/tmp /tmp/a", "/tmpx"},
		{"/tmp/*", "/tmp /tmp/a /tmp/a/b", "/ /tmpx"},
		{"/tmp/**", "/tmp /tmp/a /tmp/a/b", "/ /tmpx"},
		{"/tmp/**/*", "/tmp /tmp/a", "/tmpx"},
		{"~/.ssh", "/home/u/.ssh /home/u/.ssh/id", "/home/u /home/v/.ssh"},
		{"~", "/home/u /home/u/x", "/home /home/uu"},
		{"~/*", "/home/u /home/u/x", "/home"},
		{"$HOME/a", "/home/u/a", "/home/u/b"},
		{"${HOME}/a", "/home/u/a/b", "/a"},
		{"$TMPDIR", "/tmp/u /tmp/u/x", "/tmp"},
		{"$ROOT/build", "/code/app/build/x", "/code/app"},
		{"${ROOT}", "/code/app", "/code"},
		{"*.env", "/code/.env /a/prod.env /a/x.env/y", "/a/env /a/.env.local /"},
		{".git", "/a/.git /a/.git/config /.git", "/a/.gitignore /a/x.git"},
		{"id_*", "/a/id_rsa /id_/x", "/a/xid_"},
		{"**/a/b", "/a/b /x/a/b /x/y/a/b/c", "/a /a/x/b /b"},
		{"**/a", "/a /x/a/b", "/x/ab"},
		{"/etc/**/key", "/etc/key /etc/a/key /etc/a/b/key/c", "/key /etc/keys /x/etc/key"},
		{"/etc/*/key", "/etc/a/key /etc/a/key/b", "/etc/key /etc/a/b/key"},
		{"/etc/*.conf", "/etc/a.conf /etc/.conf /etc/d.conf/x", "/etc/a /etc/sub/a.conf /etc"},
		{"/etc/?", "/etc/a /etc/ä", "/etc/ab /etc"},
		{"/lib*", "/lib /lib64 /lib64/x", "/usr/lib /li"},
		{"/a/[bc]", "/a/b /a/c/d", "/a/d /a/bc"},
		{"/a/[!bc]", "/a/d", "/a/b /a/dd"},
		{"/a/[^bc]", "/a/d", "/a/b"},
		{"/a/[0-9a-f]x", "/a/7x /a/ex", "/a/gx"},
		{"/a/[]x]", "/a/] /a/x", "/a/y"},
		{"/a/[[:digit:]_]", "/a/3 /a/_", "/a/x"},
		{`/a/\*`, "/a/*", "/a/b"},
		{`/a/\[x]`, "/a/[x]", "/a/x"},
		{`\~x`, "/a/~x", "/home/u/x"},
		{"/a/{b,c}", "/a/{b,c}", "/a/b"},
		{"/a//./b", "/a/b", "/a/c"},
		{"*", "/ /a /a/b", ""},
		{"/", "/ /a", ""},
		{"/*", "/ /a /a/b", ""},
		{"**/*", "/ /a", ""},
		{"/A", "/A", "/a"},
		{"/a/*b*c", "/a/xbyc /a/bc /a/bbcc", "/a/xb /a/cb"},
	} {
		for _, p := range strings.Fields(c.yes) {
			if !matches(t, c.pattern, p) {
				t.Errorf("%s should match %s", c.pattern, p)
			}
		}
		for _, p := range strings.Fields(c.no) {
			if matches(t, c.pattern, p) {
				t.Errorf("%s should not match %s", c.pattern, p)
			}
		}
	}
}

func TestPatternBytes(t *testing.T) {
	if !matches(t, "/a/?", "/a/\xff") || matches(t, "/a/\xff", "/a/\xfe") || matches(t, "/a/\ufffd", "/a/\xff") {
		t.Error("a byte that is no character is one character of its own")
	}
}

func TestPatternErrors(t *testing.T) {
	for _, c := range []struct{ surface, pattern, says string }{
		{"path", "", "empty"},
		{"path", "src/gen", `write "$ROOT/src/gen"`},
		{"path", "./src", `write "$ROOT/src"`},
		{"path", "*/x", "must start with"},
		{"path", "~root/.ssh", "another user's home"},
		{"path", "$FOO/x", "only ~, $HOME, $TMPDIR and $ROOT"},
		{"path", "$HOMEX", "only ~, $HOME"},
		{"path", "$HOME.bak", "only ~, $HOME"},
		{"path", "/a/../b", "goes up"},
		{"path", "..", "goes up"},
		{"path", "/a/[b", `without its "]"`},
		{"path", "/a/[z-a]", "backwards"},
		{"path", "/a/[[:foo:]]", "character class"},
		{"path", `/a/b\`, "escapes nothing"},
		{"path", "/a\x00", "NUL"},
		{"bash", "", "empty"},
		{"bash", "  ", "empty"},
	} {
		err := Check(c.surface, c.pattern)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("Check(%q): %v, want %q", c.pattern, err, c.says)
		}
	}
}

// The trie agrees with a library that matches patterns one by one.
func TestTrieAgainstDoublestar(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "ab", "a*", "*b", "*", "?", "[ab]", "[!a]", "**", "a?b", ".x", "*.x", `\*`})
	name := rapid.SampledFrom([]string{"a", "b", "ab", "aab", "ba", ".x", "c.x", "*", "abb"})
	rapid.Check(t, func(rt *rapid.T) {
		pats := rapid.SliceOfN(rapid.SliceOfN(piece, 1, 4), 1, 8).Draw(rt, "patterns")
		path := "/" + strings.Join(rapid.SliceOfN(name, 1, 5).Draw(rt, "path"), "/")
		var tr trie
		var written []string
		for i, p := range pats {
			s := "/" + strings.Join(p, "/")
			if rapid.Bool().Draw(rt, "bare") {
				s = p[0]
			}
			written = append(written, s)
			q, err := parsePath(s, &testEnv)
			if err != nil {
				rt.Fatal(err)
			}
			tr.add(q, int32(i), true)
		}
		got := map[int32]bool{}
		tr.match(path, func(rules []int32) {
			for _, r := range rules {
				got[r] = true
			}
		})
		for _, r := range tr.all {
			got[r] = true
		}
		for i, s := range written {
			if want := oracle(rt, s, path); got[int32(i)] != want {
				rt.Fatalf("pattern %q, path %q: trie says %v, oracle %v", s, path, got[int32(i)], want)
			}
		}
	})
}

// oracle: a pattern names a tree, so it matches a path if it matches it or a
// directory above it.
func oracle(t *rapid.T, pat, path string) bool {
	if !strings.Contains(pat, "/") {
		pat = "/**/" + pat
	} else {
		pat = strings.TrimSuffix(pat, "/*")
		for strings.HasSuffix(pat, "/**") {
			pat = strings.TrimSuffix(pat, "/**")
		}
	}
	if pat == "" {
		return true
	}
	for p := path; ; p = p[:strings.LastIndexByte(p, '/')] {
		if p == "" {
			ok, err := doublestar.Match(pat, "/")
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		ok, err := doublestar.Match(pat, p)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return true
		}
	}
}

// meet says yes whenever a name matches both components.
func TestMeet(t *testing.T) {
	alphabet := rapid.SampledFrom([]string{"a", "b", "*", "?", "[ab]", "[!a]", "."})
	gen := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(alphabet, 1, 5).Draw(t, "p"), "") })
	rapid.Check(t, func(rt *rapid.T) {
		a, _ := parseComponent(gen.Draw(rt, "a"))
		b, _ := parseComponent(gen.Draw(rt, "b"))
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "."}), 1, 6).Draw(rt, "name"), "")
		if matchAtoms(a, name) && matchAtoms(b, name) && !meet(a, b) {
			rt.Fatalf("%q matches both", name)
		}
	})
	for _, c := range []struct {
		a, b string
		want bool
	}{{"*.go", "*.env", false}, {"a*", "b*", false}, {"*", "*.env", true}, {"a*", "*b", true}, {"?", "ab", false}, {"x*y", "x", false}} {
		a, _ := parseComponent(c.a)
		b, _ := parseComponent(c.b)
		if meet(a, b) != c.want || meet(b, a) != c.want {
			t.Errorf("meet(%s, %s) is not %v", c.a, c.b, c.want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"/tmp/*", "~/.ssh", "*.env", "**/a/b", "/a/[!b-d]", `\*`, "$ROOT/x", "[[:alpha:]]"} {
		f.Add(s, "/home/u/.ssh/id")
	}
	f.Fuzz(func(t *testing.T, pat, path string) {
		p, err := parsePath(pat, &testEnv)
		if (err == nil) != (Check("path", pat) == nil) {
			t.Fatalf("Check and the compiler disagree on %q", pat)
		}
		if err != nil {
			if !strings.Contains(err.Error(), "pattern") {
				t.Fatalf("%q: error %q doesn't say what it is about", pat, err)
			}
			return
		}
		var tr trie
		tr.add(p, 0, true)
		tr.root.finish()
		hit := func(path string) bool {
			h := len(tr.all) > 0
			tr.match(path, func([]int32) { h = true })
			return h
		}
		path = "/" + strings.Join(split(path), "/")
		if hit(path) && !hit(strings.TrimSuffix(path, "/")+"/below") {
			t.Fatalf("%q matches %q but not what is below", pat, path)
		}
	})
}
