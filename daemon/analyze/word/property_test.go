package word

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Random words of known text come out as in the real shells; all of a test go
// through one process.
func TestRandomWords(t *testing.T) {
	path := realBash(t)
	const setup = `v=/etc/a.b; s='x y  z'; e=; a=(p 'q r' ''); set -- one 'two 3' ''; n=2; w='a*b'`
	atom := rapid.SampledFrom([]string{
		"a", "b/", "/", ".", "x y", `\ `, `\$`, `"`, "'", "$v", "${v}", "$s", `"$s"`, "$e", `"$@"`, "$@", `"$*"`, "$*",
		`"${a[@]}"`, "${a[1]}", "${v%/*}", "${v##*/}", "${s// /_}", "${v:1:n}", "${#v}", "${z:-a b}", `"${z:-a b}"`,
		"${e:-$s}", "${v/a/[&]}", "{a,b}", "{1..3}", "{", "}", ",", "~", "~/", "$((n+1))", "$(echo c d)", `"$(echo "c  d")"`,
		"$'\\t'", "${v^^}", "${w#a?}", `"x$@y"`, "${a[@]:1}", "a=", "a+=", "dd=~", ":~", "=~/", `"${v%.*}"`, "${s##* }", "${!n}", "${a[n]}", "${a[@]#p}", "${e:+x}", `"${v:+$s}"`, "${v:n}", "${s@Q}", "$'a b'", "`echo $s`", "${v,,}", "${1:-x}", "${@:2}", "=", ":", "*", "[a]", `""`, "''", "${!n}", "${s#* }",
		`"${a[@]^}"`, "${a[@]/q/Q}", `"${a[@]:1:1}"`, `"${@:2:1}"`, "${@:2}", `"${@@Q}"`, `"${a[*]@U}"`, `"${!a[@]}"`, `"${#a[@]}"`,
		`"${z:-'q'}"`, "${z:-'q r'}", `"${z-$s}"`, "${z+x}", "$'\\x2f'", "$'\\057'", "${v/#\\/etc/~}", `"${v//[ab]/-}"`, "${s%% *}", "${a[-1]}", "${a[0]#p}",
		"${*:1:1}", `"${*#o}"`, "${1^}", "{a..c}", "{01..03}", "${n}{x,y}", "$((n*2+1))", "$((a[0]))", "${#1}", "${z:=new}", "~root", "a:~", "{~,x}", `"~"`, "$[n]",
	})
	// Not with IFS empty: bash 5.2 then garbles what is trimmed off the elements of
	// a list (a \x01 in the text, a blank lost behind it).
	for _, ifs := range []string{"", "; IFS=/", "; IFS=:", "; IFS=' b'", "; IFS=2x", "; unset IFS"} {
		t.Run("setup"+ifs, func(t *testing.T) { randomWords(t, path, "bash", setup+ifs, atom) })
	}
}

func TestRandomWordsZsh(t *testing.T) {
	path := realShell(t, "zsh", "5.9")
	const setup = `v=/etc/a.b; s='x y  z'; e=; a=(p 'q r' '' w); set -- one 'two 3' ''; n=2; w='a*b'`
	randomWords(t, path, "zsh", setup, rapid.SampledFrom([]string{
		"a", "b/", "/", ".", "x y", `\ `, `\$`, `"`, "'", "$v", "${v}", "$s", `"$s"`, "$e", `"$@"`, "$@", `"$*"`, "$*", "$=s", "${=s}",
		`"${a[@]}"`, "${a[2]}", "$a", `"$a"`, "$a[1]", "$a[-1]", "$a[2,3]", "${v%/*}", "${v##*/}", "${s// /_}", "${v:1:$n}", "${#v}", "$#v", "$#a",
		"${z:-a b}", `"${z:-a b}"`, "${e:-$s}", ",", "~/", "$((n+1))", "$(echo c d)", `"$(echo "c  d")"`,
		"$'\\t'", "$v:h", "$v:t", "${v:h}", "${v:t:r}", `"$v:e"`, "${(U)v}", "${(j:,:)a}", "${a:1}", "${1:-x}", ":", "*", `""`, "''", "${v[2,4]}", "${${v:h}:t}",
	}))
}

func randomWords(t *testing.T, path, shell, setup string, atom *rapid.Generator[string]) {
	zsh := shell == "zsh"
	var rows []row
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(atom, 1, 6).Draw(rt, "atoms"), "")
		if strings.Contains(text, "\n") {
			return
		}
		r := row{setup: setup, text: text}
		if got := result(r, zsh); strings.HasPrefix(got, "error: ") || strings.Contains(got, "<any>") {
			return // the parser doesn't take it, or it came to a user's home: ~b
		}
		rows = append(rows, r)
	})
	if len(rows) < 20 {
		t.Fatalf("only %d words were parsed", len(rows))
	}
	answers := ask(t, path, shell, rows)
	for i, r := range rows {
		got := strings.NewReplacer("‘", "", "’", "").Replace(result(r, zsh))
		if got != answers[i] {
			t.Errorf("> %s\n\tgot  %s\n\t%s %s", r.text, got, shell, answers[i])
		}
	}
}
