package word

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Random words of known text come out as in bash. A few hundred words go through
// one bash process.
func TestRandomWords(t *testing.T) {
	path, err := exec.LookPath("bash")
	if err != nil {
		missing(t, "bash", "isn't installed (apt install %[1]s, brew install %[1]s)")
	}
	if out, err := exec.Command(path, "--version").Output(); err != nil || !strings.Contains(string(out), "5.2") {
		missing(t, "bash", "isn't version 5.2, which the tables describe (%[1]s first on PATH)")
	}
	const setup = `v=/etc/a.b; s='x y  z'; e=; a=(p 'q r' ''); set -- one 'two 3' ''; n=2; w='a*b'`
	atom := rapid.SampledFrom([]string{
		"a", "b/", "/", ".", "x y", `\ `, `\$`, `"`, "'", "$v", "${v}", "$s", `"$s"`, "$e", `"$@"`, "$@", `"$*"`, "$*",
		`"${a[@]}"`, "${a[1]}", "${v%/*}", "${v##*/}", "${s// /_}", "${v:1:n}", "${#v}", "${z:-a b}", `"${z:-a b}"`,
		"${e:-$s}", "${v/a/[&]}", "{a,b}", "{1..3}", "{", "}", ",", "~", "~/", "$((n+1))", "$(echo c d)", `"$(echo "c  d")"`,
		"$'\\t'", "${v^^}", "${w#a?}", `"x$@y"`, "${a[@]:1}", "${1:-x}", "${@:2}", "=", ":", "*", "[a]", `""`, "''", "${!n}", "${s#* }",
	})
	var rows []row
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(atom, 1, 6).Draw(rt, "atoms"), "")
		if strings.Contains(text, "\n") {
			return
		}
		r := row{setup: setup, text: text}
		if got := result(r, false); strings.HasPrefix(got, "error: ") || strings.Contains(got, "<any>") {
			return // the parser doesn't take it, or it came to a user's home: ~b
		}
		rows = append(rows, r)
	})
	if len(rows) < 20 {
		t.Fatalf("only %d words were parsed", len(rows))
	}
	answers := ask(t, path, "bash", rows)
	for i, r := range rows {
		got := strings.NewReplacer("‘", "", "’", "").Replace(result(r, false))
		if got != answers[i] {
			t.Errorf("> %s\n\tgot  %s\n\tbash %s", r.text, got, answers[i])
		}
	}
}
