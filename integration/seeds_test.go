package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// The worked examples of the documents the project started from: what each line
// names outside /projects/app. An empty list: nothing outside, no question.
var seedLines = []struct{ line, paths string }{
	// Issue 91: patterns and scripts are not paths; the files behind them are.
	{`sed -i '' '/source: "tool",/{/origin:/!s/source: "tool",/source: "tool",\n      origin: "builtin",/;}' tests/tool-input-preview.test.ts`, ``},
	{`sed 's/foo/bar/g' /etc/hosts`, `/etc/hosts`},
	{`sed -e 's/foo/bar/' /etc/hosts`, `/etc/hosts`},
	{`sed -n '/start/,/end/p' /etc/hosts`, `/etc/hosts`},
	{`sed -f /script/file input`, `/script/file`},
	{`sed -i '' 's/a/b/' /etc/hosts`, `/etc/hosts`},
	{`sed 's#/usr/local#/opt#' input.txt`, ``},
	{`grep '/etc/' /var/log/syslog`, `/var/log/syslog`},
	{`grep -e '/etc/' /var/log/syslog`, `/var/log/syslog`},
	{`grep -A 3 /etc/ docs/a.md`, ``},
	{`awk '{print}' /etc/hosts`, `/etc/hosts`},
	{`awk -F: '{print $1}' /etc/passwd`, `/etc/passwd`},
	{`awk '/\/etc\//{print}' data.txt`, ``},
	{`rg '/usr/local' /etc/profile.d/`, `/etc/profile.d`},
	{`rg -e '/pattern' /external/dir`, `/external/dir`},
	{`sd '/usr/local/bin' '/opt/bin' /etc/profile`, `/etc/profile`},
	{`sed 's/foo/bar/' input.txt > /tmp/output.txt`, `/tmp/output.txt`},
	{`some-tool /etc/hosts`, `/etc/hosts`},
	{`/usr/bin/sed '/x/d' /etc/hosts`, `/etc/hosts`},
	{`sed 's/a/b/' file | cat /etc/hosts`, `/etc/hosts`},
	// Its known limitation, which a real option grammar doesn't have.
	{`sed -i 's/foo/bar/' /etc/hosts`, `/etc/hosts`},
	// Issue 39: what a line may name, and what only looks like it.
	{`cat /etc/hosts`, `/etc/hosts`},
	{`cat ~/notes`, `/home/u/notes`},
	{`cat ../other/secret.txt`, `/projects/other/secret.txt`},
	{`cat src/../README.md`, ``},
	{`FOO=/bar true`, ``},
	{`curl http://example.com/etc/passwd`, ``},
	{`npm install @scope/package`, ``},
	{`ls src/ | xargs cat /etc/passwd`, `/etc/passwd`},
	{`cat $HOME/secret`, `/home/u/secret`},
	// Issue 44: the null and terminal devices are nobody's directory.
	{`command 2>/dev/null`, ``},
	{`cat /dev/stdin`, ``},
	{`ls src >/dev/stdout 2>/dev/stderr`, ``},
	{`cat /dev/null > data.txt`, ``},
	{`cat /dev/null > /etc/passwd`, `/etc/passwd`},
	{`cat /dev/null/../../etc/passwd`, `/etc/passwd`},
}

func TestSeeds(t *testing.T) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for i, s := range seedLines {
		if err := enc.Encode(map[string]string{"id": fmt.Sprint(i), "cmd": s.line, "cwd": "/projects/app", "home": "/home/u"}); err != nil {
			t.Fatal(err)
		}
	}
	answers := batch(t, in.Bytes())
	if len(answers) != len(seedLines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(seedLines))
	}
	for i, s := range seedLines {
		want := []string{}
		if s.paths != "" {
			want = append(want, s.paths)
		}
		got := answers[i]
		if got.Dynamic || !slices.Equal(got.Paths, want) && len(got.Paths)+len(want) > 0 {
			t.Errorf("%s\n  paths %q dynamic %v, want %q", s.line, got.Paths, got.Dynamic, want)
		}
	}
}
