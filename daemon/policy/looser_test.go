package policy

import "testing"

func TestLiteral(t *testing.T) {
	for _, path := range []string{"/a b", "/a*", `/a\b`, "/[x]", "/?"} {
		if !matches(t, Literal(path), path) || matches(t, Literal(path), "/ax") {
			t.Errorf("Literal(%q) = %q", path, Literal(path))
		}
	}
}

func TestLooser(t *testing.T) {
	for _, c := range []struct{ before, added, loosened string }{
		{"x * ask", "x /srv/data allow", ""},
		{"x * ask\nx /srv/data/key ask", "x /srv/data allow", "/srv/data/key"},
		{"x /srv/data/key deny", "x /srv/data allow", "/srv/data/key"},
		{"x /srv/data/key deny", "x /srv/data/a allow", ""},
		{"p *.env ask", "p /srv/data allow", "*.env"},
		{"p *.env ask", "x /srv/data allow", ""},
		{"x /srv/*/key ask", "x /srv allow", "/srv/*/key"},
		{"x /srv read=allow,write=ask", "x /srv/a read=allow", ""},
		{"x /srv/a/b write=ask", "x /srv/a read=allow", ""},
		{"b git_push_* ask", "b git_* allow", "git push *"},
		{"b git_push_* ask", "b git_log_* allow", ""},
	} {
		before := rules(t, c.before)
		added := rules(t, c.added)[0]
		layers := func(r []Entry) []Layer { return []Layer{{Author: User, Rules: r}} }
		e, looser := Looser(layers(before), layers(append(before[:len(before):len(before)], added)), testEnv, added, Origin{})
		if e.Pattern != c.loosened || looser != (c.loosened != "") {
			t.Errorf("%q + %q: %q, want %q", c.before, c.added, e.Pattern, c.loosened)
		}
	}
}
