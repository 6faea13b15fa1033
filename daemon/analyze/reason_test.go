package analyze

import (
	"strings"
	"testing"

	"extdir/daemon/access"
)

// TestReasons: whatever is unknown says what could not be known, in the words of
// the line. Each row is a line and the reasons of its unknown accesses.
func TestReasons(t *testing.T) {
	const earlier = "isn't known: an earlier line or the environment may set it"
	a := analyzer(t, world(t))
	for row := range strings.SplitSeq(`
		cat $x                             ⇒ operand of cat: the value of $x EARLIER
		cat "${x%/*}"                      ⇒ operand of cat: the value of $x EARLIER
		cat /etc/$x                        ⇒ operand of cat: the value of $x EARLIER
		cat src/$x                         ⇒ operand of cat: the value of $x EARLIER
		bash -c 'cat $x'                   ⇒ operand of cat: the value of $x EARLIER
		eval 'cat "$x"'                    ⇒ operand of cat: the value of $x EARLIER
		cat ${!x}                          ⇒ operand of cat: the value of $x EARLIER
		cat ${a[$i]}                       ⇒ operand of cat: the value of $a EARLIER
		cat ${x@P}                         ⇒ text that is expanded once more: the value of $x EARLIER; operand of cat: the value of $x EARLIER
		cat /etc/{1..5000}                 ⇒ operand of cat: what a word of more than 4096 fields gives isn't known
		ssh localhost "$x"                 ⇒ text that sh runs: the value of $x EARLIER; runs in another shell of this machine
		env $v cmd                         ⇒ command word: the value of $v EARLIER
		f() { cat "$1"; }; f "$x"          ⇒ operand of cat: the value of $x EARLIER
		cat $(find . -name x)/../..        ⇒ operand of cat: a name that a program lists is followed by ..
		cat $1                             ⇒ operand of cat: the value of $1 EARLIER
		rm -rf "$DIR"/build                ⇒ operand of rm: the value of $DIR EARLIER
		ls $x $y                           ⇒ operand of ls: the value of $x EARLIER; operand of ls: the value of $y EARLIER
		cat > $out                         ⇒ target of >: the value of $out EARLIER
		cat < "$in"                        ⇒ target of <: the value of $in EARLIER
		$cmd a                             ⇒ command word: the value of $cmd EARLIER
		find . -exec $x {} \;              ⇒ command word: the value of $x EARLIER
		. $f                               ⇒ file that . runs: the value of $f EARLIER
		eval "$x"                          ⇒ text that eval runs: the value of $x EARLIER
		trap "$x" EXIT                     ⇒ text that trap runs: the value of $x EARLIER
		sh -c "$x"                         ⇒ text that sh runs: the value of $x EARLIER
		python3 -c "$x"                    ⇒ python code that is not in the line: the value of $x EARLIER
		awk "$x" README.md                 ⇒ awk code that is not in the line: the value of $x EARLIER
		sed -n "$x" README.md              ⇒ sed command that is not in the line: the value of $x EARLIER
		git -C $d status                   ⇒ value of -C: the value of $d EARLIER
		cat $(curl u)                      ⇒ operand of cat: the output of $(curl u) isn't known
		cat ${:-}$(curl  u  |  jq .a)      ⇒ the line can't be parsed: 1:7: invalid parameter name
		cat $(curl  u  |  jq .a)           ⇒ operand of cat: the output of $(curl u | jq .a) isn't known
		§curl u§                           ⇒ command word: the output of §curl u§ isn't known
		bash -c 'cat $(curl u)'            ⇒ operand of cat: the output of $(curl u) isn't known
		x=$(curl u); cat $x                ⇒ operand of cat: the output of $(curl u) isn't known
		for f in $(list); do rm $f; done   ⇒ operand of rm: the output of $(list) isn't known
		cat /etc/$(date +%s)               ⇒ operand of cat: the output of $(date +%s) isn't known
		cat /etc/$((n + 1))                ⇒ operand of cat: the result of $((…)) isn't known
		curl u | bash                      ⇒ text that bash runs: what curl u prints isn't known
		curl u | xargs cat                 ⇒ operand of cat: what xargs reads isn't known
		curl u | parallel cat              ⇒ text that sh runs: what parallel reads isn't known
		source <(curl u)                   ⇒ text that source runs: what curl u prints isn't known
		read x; cat $x                     ⇒ operand of cat: what read reads isn't known
		while read -r l; do rm "$l"; done  ⇒ operand of rm: what read reads isn't known
		cat ~bob/x                         ⇒ operand of cat: the home directory of bob isn't known
		cat ~-/x                           ⇒ operand of cat: the value of $OLDPWD EARLIER
		cd $d && cat x                     ⇒ directory of cd: the value of $d EARLIER; operand of cat: the directory at this point of the line isn't known
		x=a; for i in 1 2; do x=$x/$z; done; cat /$x ⇒ operand of cat: the value of $z EARLIER
		BASH_ALIASES[ll]=$x                ⇒ what BASH_ALIASES gets: the value of $x EARLIER
		declare -n q="$x"                  ⇒ variable that a reference names: the value of $x EARLIER
		cat $(verylongcommandname --with many --options that --go on) ⇒ operand of cat: the output of $(verylongcommandname --with many --options tha… isn't known
		if                                 ⇒ the line can't be parsed: 1:1: §if§ must be followed by a statement list
		bash -c 'if'                       ⇒ the text that bash runs can't be parsed
	`, "\n") {
		line, want, ok := strings.Cut(strings.TrimSpace(row), "⇒")
		if !ok {
			continue
		}
		line = strings.ReplaceAll(strings.TrimSpace(line), "§", "`")
		want = strings.ReplaceAll(strings.TrimSpace(want), "§", "`")
		var got []string
		for _, x := range a.Analyze(request(line)).Accesses {
			if x.Certainty == access.Unknown {
				got = append(got, strings.ReplaceAll(x.Why, earlier, "EARLIER"))
			}
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", line, s, want)
		}
	}
}
