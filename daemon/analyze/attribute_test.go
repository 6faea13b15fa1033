package analyze

import (
	"slices"
	"strings"
	"testing"
)

// musts are the variables without which a line can't be allowed.
func musts(a *Analyzer, r Request) string {
	var names []string
	for _, n := range a.Analyze(r).Needs {
		if n.Must {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// What is evaluated is asked for, what is only printed, split or looked at isn't:
// each name costs a second round trip.
func TestMustNeeds(t *testing.T) {
	a := analyzer(t, world(t))
	for _, c := range []struct{ shell, line, want string }{
		{"bash", "echo $((x))", "x"},
		{"bash", "echo $(( $x + 1 ))", "x"},
		{"bash", "echo $(( ${x} ))", "x"},
		{"bash", "echo $[x]", "x"},
		{"bash", "let x", "x"},
		{"bash", "let y=x+1", "x"},
		{"bash", "(( x ))", "x"},
		{"bash", "(( i++ ))", "i"},
		{"bash", "[[ x -eq 1 ]]", "x"},
		{"bash", "[[ $x -eq 1 ]]", "x"},
		{"bash", "[[ -v a[x] ]]", "x"},
		{"bash", "test -v 'a[x]'", "x"},
		{"bash", "echo ${a[x]}", "x"},
		{"bash", "s=abc; echo ${s:x}", "x"},
		{"bash", "s=abc; echo ${s:0:$x}", "x"},
		{"bash", "printf -v 'a[x]' 1", "x"},
		{"bash", "unset 'a[x]'", "x"},
		{"bash", "declare -i y=x", "x"},
		{"bash", "for ((i=0; i<n; i++)); do :; done", "n"},
		{"bash", "a[x]=1", "x"},
		{"bash", "echo $(( $1 ))", "1"},
		{"bash", "f() { echo $(( $1 )); }; f 3", ""},
		{"bash", "a=x; echo ${a[1]}", "a"},
		{"zsh", "echo $((x))", "x"},
		{"zsh", "(( x ))", "x"},
		{"zsh", "[[ $x -eq 1 ]]", "x"},

		{"bash", "echo $x", ""},
		{"bash", "for i in $list; do echo $i; done", ""},
		{"bash", `cd "$dir"`, ""},
		{"bash", "i=0; (( i++ )); echo $i", ""},
		{"bash", "for ((i=0; i<3; i++)); do echo $i; done", ""},
		{"bash", "[ $x -eq 1 ]", ""},
		{"bash", "[[ $x == 1 ]]", ""},
		{"bash", "[[ $? -eq 0 ]]", ""},
		{"bash", "echo $(( RANDOM % 6 ))", ""},
		{"bash", "n=$(wc -l < list.txt); echo $((n + 1))", ""},
		{"bash", "[[ $(ls | wc -l) -gt 3 ]]", ""},
		{"bash", "echo $(( $(date +%s) - 1 ))", ""},
		{"bash", "echo $(( ${#x} ))", ""},
		{"bash", "a=(x y); echo ${a[1]}", ""},
		{"bash", "x=a; echo $x", ""},
		{"bash", "while read -r l; do echo $l; done < list.txt", ""},
		{"zsh", "echo $x[1]", ""},
	} {
		r := request(c.line)
		r.Shell, r.Interactive = c.shell, true
		if got := musts(a, r); got != c.want {
			t.Errorf("%s: %s\n\tgot  %q\n\twant %q", c.shell, c.line, got, c.want)
		}
	}
}

// What earlier lines declared.
func TestAttributes(t *testing.T) {
	a := analyzer(t, world(t))
	text := func(v string) Var { return Var{Set: true, Value: v} }
	for _, c := range []struct {
		shell, attributes string
		vars              map[string]Var
		line, want, must  string
	}{
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "x=a; cat $x", "", ""},
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "(x=a); cat $x", "r /srv", ""},
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "x=a true; cat $x", "r /srv", ""},
		{"bash", "x:r", map[string]Var{"x": text("a")}, "x=/etc/passwd; cat $x", "", ""},
		{"bash", "x:r", nil, "eval x=a; cat $x", "?", ""},
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "declare x=a; cat $x", "r /srv", ""},
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "f() { local y=a; cat $y; }; f", "", ""},
		{"bash", "x:i", nil, "x='a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"bash", "x:i", nil, "declare x='a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"bash", "x:i", nil, "x+='a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"bash", "x:i", nil, "read x <<< 'a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"bash", "x:i", nil, "x=y", "", "y"},
		{"bash", "r:n", nil, "r=/etc/passwd; cat $y", "?", "r"},
		{"bash", "r:n", map[string]Var{"r": {Set: true, Ref: true, Value: "y"}}, "r=/etc/passwd; cat $y", "r /etc/passwd", ""},
		{"bash", "r:n", map[string]Var{"r": {Set: true, Ref: true, Value: "y"}}, "y=/etc/passwd; cat $r", "r /etc/passwd", ""},
		{"bash", "r:n", map[string]Var{"r": {Set: true, Ref: true, Value: "y"}}, "y=a; cat $r", "", ""},
		{"bash", "r:n", map[string]Var{"r": {Set: true, Ref: true, Value: "y"}, "y": text("/srv")}, "cat $r", "r /srv", ""},
		{"bash", "x:l", nil, "x=/ETC/PASSWD; cat $x", "r /etc/passwd", ""},
		{"bash", "x:u", nil, "x=src; cat $x", "", ""},
		{"bash", "", map[string]Var{"a": {Set: true, List: []string{"x", "/etc/passwd"}}}, "a=y; cat ${a[1]}", "r /etc/passwd", ""},
		{"bash", "", map[string]Var{"a": {Set: true, List: []string{"x", "/etc/passwd"}}}, "a=y; cat $a", "", ""},
		{"bash", "", map[string]Var{"a": {Set: true, Map: map[string]string{"k": "/etc/passwd"}}}, "a=y; cat ${a[k]}", "r /etc/passwd", ""},
		{"bash", "x:r", map[string]Var{"x": text("/srv")}, "bash -c 'x=a; cat $x'", "", ""},
		{"zsh", "x:i", nil, "x='a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"zsh", "x:f", nil, "x='a[$(cat /etc/passwd)]'", "r /etc/passwd", ""},
		{"zsh", "x:L", nil, "x=/etc/passwd; cat $x", "?", ""},
		{"zsh", "A:T a:T", nil, "a=(/etc/passwd); cat $A", "?", ""},
		{"zsh", "x:r", map[string]Var{"x": text("/srv")}, "x=a; cat $x", "r /srv", ""},
	} {
		r := request(c.line)
		r.Shell, r.Interactive = c.shell, true
		for name, v := range c.vars {
			r.Vars[name] = v
		}
		r.Attributes = map[string]string{}
		for _, w := range strings.Fields(c.attributes) {
			name, flags, _ := strings.Cut(w, ":")
			r.Attributes[name] = flags
		}
		if got := found(a.Analyze(r)); got != c.want {
			t.Errorf("%s, %s: %s\n\tgot  %q\n\twant %q", c.shell, c.attributes, c.line, got, c.want)
		}
		if got := musts(a, r); got != c.must {
			t.Errorf("%s, %s: %s\n\tmust %q\n\twant %q", c.shell, c.attributes, c.line, got, c.must)
		}
	}
}

// A line that changes attributes makes those known stale; what ends with a
// function or a subshell doesn't.
func TestAttributesChange(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]bool{
		"declare -r x=a": true, "readonly x": true, "declare -i x": true, "declare -n r=y": true, "declare -u x": true,
		"f() { declare -g -i x; }; f": true, "eval 'declare -i x'": true,
		"x=a": false, "export x=a": false, "declare x=a": false, "local x": false, "(declare -r x=a)": false,
		"declare -a x": false, "bash -c 'declare -r x=a'": false, "for i in a; do :; done": false,
	} {
		r := request(line)
		r.Interactive = true
		if got := a.Analyze(r).Changes; got != want {
			t.Errorf("%s: changes %v, want %v", line, got, want)
		}
	}
	for line, want := range map[string]bool{
		"integer x": true, "float x": true, "typeset -F x": true, "typeset -L 3 x": true, "typeset -T A a": true, "x=a": false,
	} {
		r := request(line)
		r.Shell, r.Interactive = "zsh", true
		if got := a.Analyze(r).Changes; got != want {
			t.Errorf("zsh: %s: changes %v, want %v", line, got, want)
		}
	}
}
