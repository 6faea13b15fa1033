package policy

import (
	"strings"
	"testing"
)

func TestDead(t *testing.T) {
	for _, c := range []struct{ rules, dead string }{
		{"x * ask\nx /tmp allow", ""},
		{"x /tmp allow\nx * ask", "/tmp"},
		{"x /tmp/a/b allow\nx /tmp/* deny", "/tmp/a/b"},
		{"x /tmp deny\nx /tmp/a allow", ""},
		{"x /tmp/a deny\nx /tmp read=allow", ""},
		{"x /tmp/a read=deny\nx /tmp read=allow,write=ask", "/tmp/a"},
		{"x /tmp allow\np * ask", ""},
		{"x *.env deny\nx /tmp allow", ""},
		{"x *.env deny\nx / allow", "*.env"},
		{"x /a/*.env deny\nx /a/* allow", "/a/*.env"},
		{"x /a/x.env deny\nx *.env allow", "/a/x.env"},
		{"x /a/**/b deny\nx /a allow", "/a/**/b"},
		{"b git_push_* ask\nb git_* allow", "git push *"},
		{"b git_* ask\nb git_push_* allow", ""},
		{"b git* ask\nb git_* allow", ""},
		{"b git_* ask\nb git* allow", "git *"},
		{"b git ask\nb * allow", "git"},
		{"b git_? ask\nb git_?? allow", ""},
	} {
		var got []string
		for _, p := range Dead([]Layer{user(t, c.rules)}, testEnv) {
			if !p.Warning || !strings.Contains(p.Message, "never takes effect") {
				t.Errorf("%+v", p)
			}
			got = append(got, strings.Split(p.Message, `"`)[1])
		}
		if strings.Join(got, " ") != c.dead {
			t.Errorf("%q: dead are %q, want %q", c.rules, got, c.dead)
		}
	}
}
