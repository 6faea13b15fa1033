package integration

import (
	"strings"
	"testing"
)

// earlier are lines whose meaning depends on what lines before them left behind.
// The last of each is refused, or prints what want says; "?" is one that a person
// is asked about, and nobody answers.
var earlier = []struct{ name, shell, lines, want string }{
	{"arithmetic", "", `v1='a[$(touch BLOCK)]'⏎echo $((v1))`, "blocked"},
	{"arithmetic of $", "", `v1='a[$(touch BLOCK)]'⏎echo $(($v1 + 1))`, "blocked"},
	{"arithmetic command", "", `v1='a[$(touch BLOCK)]'⏎(( v1 ))`, "blocked"},
	{"let", "", `v1='a[$(touch BLOCK)]'⏎let v1`, "blocked"},
	{"-eq", "", `v1='a[$(touch BLOCK)]'⏎[[ v1 -eq 1 ]]`, "blocked"},
	{"subscript", "bash", `v1='a[$(touch BLOCK)]'⏎echo ${arr[v1]}`, "blocked"},
	{"slice", "", `v1='a[$(touch BLOCK)]'⏎s=abc; echo ${s:$v1}`, "blocked"},
	{"-v", "bash", `v1='a[$(touch BLOCK)]'⏎test -v 'arr[v1]'`, "blocked"},
	{"printf -v", "bash", `v1='a[$(touch BLOCK)]'⏎printf -v 'arr[v1]' x`, "blocked"},
	{"unset", "bash", `v1='a[$(touch BLOCK)]'⏎unset 'arr[v1]'`, "blocked"},
	{"by another name", "", `v1='a[$(touch BLOCK)]'⏎w1=v1⏎echo $((w1))`, "blocked"},
	{"counting", "", `i2=1⏎(( i2++ ))⏎echo $((i2 + 1))`, "3"},
	{"readonly", "bash", `declare -r v3=aBLOCK⏎eval v3=b; cat $v3`, "blocked"},
	{"readonly gives up the line", "bash", `declare -r v3=aBLOCK⏎v3=b; cat $v3⏎echo on`, "on"},
	{"readonly", "zsh", `typeset -r v3=aBLOCK⏎v3=b; cat $v3`, "blocked"},
	{"readonly is read", "", `readonly v4=4⏎echo $v4`, "4"},
	{"reference", "bash", `declare -n r5=y5⏎r5=aBLOCK; cat $y5`, "blocked"},
	{"reference to what was set", "bash", `declare -n r6=y6⏎y6=aBLOCK⏎cat $r6`, "blocked"},
	{"integer", "", `typeset -i v7⏎v7='a[$(touch BLOCK)]'`, "blocked"},
	{"integer counts", "", `typeset -i v8⏎v8=3+4; echo $v8`, "7"},
	{"a value that looks like a declaration", "bash", "v9=$'1\\ndeclare -r w9=\"a\"'; readonly v9; w9=a⏎w9=aBLOCK; cat $w9", "blocked"},
	{"capitals", "bash", `typeset -u v10⏎v10=block; touch a$v10`, "blocked"},
	{"float", "zsh", `float v11⏎v11='a[$(touch BLOCK)]'`, "blocked"},
	{"width", "zsh", `typeset -L 6 v12⏎v12=aBLOCKED; touch $v12`, "?"},
	{"tied", "zsh", `typeset -T A13 a13⏎a13=(aBLOCK); touch $A13`, "?"},
	{"array", "bash", `a14=(x aBLOCK)⏎cat ${a14[1]}`, "blocked"},
	{"array", "zsh", `a14=(x aBLOCK)⏎cat $a14[2]`, "blocked"},
	{"first of an array", "bash", `a15=(x aBLOCK)⏎a15=y; cat ${a15[1]}`, "blocked"},
	{"pairs", "", `typeset -A m16; m16[k]=aBLOCK⏎cat ${m16[k]}`, "blocked"},
	{"$0", "bash", `BASH_ARGV0=aBLOCK⏎cat $0`, "?"},
	{"$1", "", `set -- aBLOCK⏎cat $1`, "?"},
	{"function in function", "", `f19() { touch a$1; }⏎g19() { f19 BLOCK; }⏎g19`, "blocked"},
	{"function over a program", "", `ls() { touch aBLOCK; }⏎ls`, "blocked"},
	{"alias in a function", "", `alias l20='touch aBLOCK'⏎f20() { l20; }⏎f20`, "blocked"},
	{"alias of an alias", "", `alias l21='touch '⏎alias m21='l21 '; alias n21=aBLOCK⏎m21 n21`, "blocked"},
	{"named directory", "zsh", `hash -d n22=$PWD/src⏎touch ~n22/aBLOCK`, "?"},
	{"exported function", "bash", `f23() { touch aBLOCK; }; export -f f23⏎bash -c f23`, "blocked"},
	{"exported variable", "", `export v24=aBLOCK⏎bash -c 'touch $v24'`, "blocked"},
	{"variable that isn't exported", "", `v25=x⏎bash -c 'echo "[$v25]"'`, "[]"},
	{"OLDPWD", "", `cd src⏎cd ..⏎touch ~-/aBLOCK`, "blocked"},
	{"directory stack", "bash", `pushd src >/dev/null⏎touch ~1/aBLOCK`, "?"},
	{"back from the stack", "", `popd >/dev/null; echo back`, "?"},
	{"extglob", "bash", `shopt -s extglob⏎touch aBLOCK@(x)`, "blocked"},
	{"cdable_vars", "bash", `shopt -s cdable_vars; d29=/⏎cd d29`, "?"},
	{"hash -p", "bash", `hash -p /BLOCK/ls ls`, "blocked"},
}

// What earlier lines of a shell left behind, asked of the shell where it decides.
func TestScenarioEarlierLines(t *testing.T) {
	playInEachShell(t, func(t *testing.T, shell string) {
		s := scenes(t, "")
		playEarlier(t, s.anAgents(shell), true)
	})
}

func TestScenarioEarlierLinesDebug(t *testing.T) {
	t.Parallel()
	playEarlier(t, throughDebug(t), false) // a person's, which is watched
}

func playEarlier(t *testing.T, a *act, asks bool) {
	for _, e := range earlier {
		if e.shell != "" && e.shell != a.shell || e.want == "?" && !asks {
			continue
		}
		a.scenario(e.name, func(t *testing.T) {
			lines := strings.Split(e.lines, "⏎")
			for _, l := range lines[:len(lines)-1] {
				hasNot(t, a.run(l), "extdir: ")
			}
			last := lines[len(lines)-1]
			switch e.want {
			case "blocked":
				a.blocks(last)
			case "?":
				has(t, a.run(last), "extdir: ")
				a.hasFiles("")
			default:
				a.prints(last, e.want)
			}
		})
	}
}
