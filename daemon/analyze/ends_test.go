package analyze

import "testing"

// Where the shell, its version or who types decides whether a line ends early.
func TestEndsElsewhere(t *testing.T) {
	for _, c := range []struct {
		os          string
		interactive bool
		line, want  string
	}{
		{"linux", false, "eval 'echo ${v1:?}'; cat /etc/a", ""},
		{"linux", true, "eval 'echo ${v1:?}'; cat /etc/a", "r /etc/a"},
		{"linux", false, "set -u; eval 'echo $v1'; cat /etc/a", ""},
		{"linux", true, "set -u; eval 'echo $v1'; cat /etc/a", "r /etc/a"},
		{"linux", true, "(eval 'echo ${v1:?}'; cat /etc/a)", ""},
		{"linux", true, "bash -c 'eval \"echo ${v1:?}\"; cat /etc/a'", ""},
		{"linux", true, "bash -ic 'eval \"echo \\${v1:?}\"; cat /etc/a'", "r /etc/a"},
		{"linux", false, "exec ls; cat /etc/a", ""},
		{"linux", true, "exec ls; cat /etc/a", "r /etc/a"},
		{"linux", false, "set -e; (false); cat /etc/a", ""},
		{"darwin", false, "set -e; (false); cat /etc/a", "r /etc/a"},
		{"darwin", false, "set -e; false; cat /etc/a", ""},
		{"linux", false, "sh -ec 'false; cat /etc/a'", "r /etc/a"}, // the shells called sh differ
		{"linux", false, "bash -ec 'false; cat /etc/a'", ""},
		{"linux", false, "sh -c '[ a == a ] || cat /etc/a'", "r /etc/a"},
		{"linux", false, "bash -c '[ a == a ] || cat /etc/a'", ""},
		{"linux", true, "trap 'cat /etc/a' ERR", "r /etc/a"}, // for later lines
		{"linux", false, "trap 'cat /etc/a' ERR", ""},
		{"linux", true, "trap 'cat /etc/a' TERM", "r /etc/a"},
		{"linux", true, "trap 'cd src' TERM", "?"}, // later lines would be judged elsewhere
		{"linux", false, "(trap 'cd src' TERM)", ""},
		{"linux", true, "trap 'x=1; rm -f a' EXIT TERM ERR", ""},
		{"linux", true, "f() { cat a; }; unset f; f /etc/a", "r /etc/a, w /etc/a"}, // a variable f may be what is unset
	} {
		a := analyzer(t, world(t))
		a.OS = c.os
		r := request(c.line)
		r.Shell, r.Interactive = "bash", c.interactive
		r.Vars["v1"] = Var{}
		if got := found(a.Analyze(r)); got != c.want {
			t.Errorf("%s, interactive %v: %s\n\tgot  %q\n\twant %q", c.os, c.interactive, c.line, got, c.want)
		}
	}
}
