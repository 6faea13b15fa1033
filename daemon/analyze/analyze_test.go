package analyze

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"extdir/daemon/access"
	"extdir/daemon/command"
	"extdir/daemon/resolve"
)

// world makes the tree the tables speak of, below a new directory that stands
// for "/": a project /p/app with links that lead out of it, and its surroundings.
func world(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, e := range strings.Fields(`
		etc/passwd etc/hosts etc/ssl/ home/u/.ssh/id_rsa home/u/notes/ srv/ tmp/ var/log/ usr/bin/
		p/other/secret.txt p/other/run.sh p/app/README.md p/app/list.txt p/app/run.sh
		p/app/src/main.go p/app/docs/a.md p/app/.git/HEAD p/app/sub/deep/
		p/app/link_etc=/etc p/app/link_in=src p/app/link_up=.. p/app/link_passwd=/etc/passwd`) {
		name, target, link := strings.Cut(e, "=")
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case link:
			err = os.Symlink(target, full)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o755)
		default:
			err = os.WriteFile(full, []byte("x\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func analyzer(t testing.TB, root string) *Analyzer {
	t.Helper()
	table, err := command.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return &Analyzer{FS: resolve.Rooted(root), Commands: table, OS: "linux"}
}

func request(line string) Request {
	set := func(v string) Var { return Var{Set: true, Exported: true, Value: v} }
	return Request{
		Line: line, Shell: "bash", Cwd: "/p/app", Home: "/home/u", Roots: []string{"/p/app"}, ShellKnown: true,
		Vars: map[string]Var{
			"HOME": set("/home/u"), "PWD": set("/p/app"), "USER": set("u"),
			"PATH": set("/usr/local/bin:/usr/bin:/bin"),
		},
	}
}

// found is the external accesses and those on the guard, in short: r, w or x and
// the listed name; "?" where something is unknown, self:LEVEL for the guard.
func found(l access.Line) string {
	outside := func(p string) bool { return !under(p, "/p/app") }
	set := map[string]bool{}
	for _, a := range l.Accesses {
		switch {
		case a.Kind == access.Self:
			set[map[access.SelfLevel]string{access.SelfAsk: "self:ask", access.SelfDeny: "self:deny"}[a.Self]] = true
		case !a.External:
		case a.Certainty == access.Unknown:
			if n := a.Name(outside); n != "" && outside(n) {
				set["?"+n] = true
			} else {
				set["?"] = true
			}
		default:
			set[a.Kind.String()[:1]+" "+a.Name(outside)] = true
		}
	}
	var out []string
	for s := range set {
		out = append(out, strings.Replace(s, "e ", "x ", 1))
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// cases reads a table: lines of "COMMAND ⇒ WHAT IS FOUND", a headline per group.
// "\n" in a command stands for a newline.
func cases(t *testing.T, a *Analyzer, shell, table string) {
	t.Helper()
	for row := range strings.SplitSeq(table, "\n") {
		row = strings.TrimSpace(row)
		line, want, ok := strings.Cut(row, "⇒")
		if !ok {
			continue
		}
		line, want = strings.ReplaceAll(strings.TrimSpace(line), `⏎`, "\n"), strings.TrimSpace(want)
		r := request(line)
		r.Shell, _, r.Interactive = strings.Cut(shell, " at the prompt")
		l := a.Analyze(r)
		if got := found(l); got != want {
			t.Errorf("%s\n\tgot  %s\n\twant %s", line, got, want)
		}
		for _, ac := range l.Accesses {
			if ac.Start < 0 || ac.End < ac.Start || ac.End > len(line) {
				t.Errorf("%s: span %d:%d outside the line", line, ac.Start, ac.End)
			}
		}
	}
}

func TestLines(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
	plain words
		cat README.md                                  ⇒
		cat /etc/passwd                                ⇒ r /etc/passwd
		cat link_etc/passwd                            ⇒ r /etc/passwd
		cat link_etc/../p/other/secret.txt             ⇒ r /p/other/secret.txt
		cat newdir/../link_etc/hosts                   ⇒ r /etc/hosts
		cat /dev/null /dev/stdin /dev/fd/3             ⇒
		cat /dev/null/../../etc/passwd                 ⇒ r /etc/passwd
		cat "/etc/$x"                                  ⇒ ?/etc/*
		cat src/$x                                     ⇒ ?
		cat src/$$.txt                                 ⇒
		cat src/$$/../$x                               ⇒ ?
		$x /etc/passwd                                 ⇒ ?, r /etc/passwd, w /etc/passwd
		cat ''                                         ⇒

	patterns: the shell lists, whatever the command
		echo /etc/*                                    ⇒ r /etc/*
		echo '/etc/*'                                  ⇒
		cat src/*.go                                   ⇒
		cat link_*/passwd                              ⇒ r /etc/passwd
		cd /etc; echo *                                ⇒ r /etc, r /etc/*

	redirections
		echo x > /tmp/a                                ⇒ w /tmp/a
		echo x >> /tmp/a                               ⇒ w /tmp/a
		echo x >| /tmp/a                               ⇒ w /tmp/a
		echo x &> /tmp/a                               ⇒ w /tmp/a
		echo x >& /tmp/a                               ⇒ w /tmp/a
		echo x >&2                                     ⇒
		cat <> /tmp/a                                  ⇒ r /tmp/a, w /tmp/a
		cat < /etc/passwd                              ⇒ r /etc/passwd
		exec {fd}> /tmp/a; echo x >&$fd                ⇒ w /tmp/a
		ls 2> /tmp/a                                   ⇒ w /tmp/a
		echo x > /dev/tcp/h/80                         ⇒
		f() { cat; } < /etc/hosts; f                   ⇒ r /etc/hosts
		f() { cat; } < /etc/hosts                      ⇒
		{ echo a; } > ../out                           ⇒ w /p/out
		exec 3< /etc/hosts; cat <&3                    ⇒ r /etc/hosts

	directories
		cd /etc && cat passwd                          ⇒ r /etc, r /etc/passwd
		cd src && cat ../../x                          ⇒ r /p/x
		cd src; cat ../../x                            ⇒ r /p/x
		cd nodir; cat ../x                             ⇒ r /p/x
		cd nodir && cat ../x                           ⇒
		cd src; cd src/.. || cat ../../x               ⇒ r /p/x
		mkdir -p a/b; cd a/b; cat ../../x              ⇒
		(cd /etc); cat passwd                          ⇒ r /etc
		cd /etc | true; cat passwd                     ⇒ r /etc
		cd /etc; cd -; cat passwd                      ⇒ r /etc
		cd -                                           ⇒ ?
		pushd /etc; popd; cat passwd                   ⇒ r /etc
		CDPATH=/; cd etc; cat passwd                   ⇒ r /etc, r /etc/passwd
		cd -P link_etc/..; cat x                       ⇒ r /, r /x
		cd link_etc/..; cat x                          ⇒ r /
		cd link_in; cat ../../x                        ⇒ r /p/x
		cd; cat x                                      ⇒ r /home/u, r /home/u/x
		cd "$d"; cat x                                 ⇒ ?
		cd() { builtin cd /etc; }; cd src; cat passwd  ⇒ r /etc, r /etc/passwd

	variables
		x=/etc; cat $x/passwd                          ⇒ r /etc/passwd
		x=/etc/passwd cat $x                           ⇒ ?
		x=/etc true; cat $x/p                          ⇒ ?
		export x=/etc; bash -c 'cat $x/p'              ⇒ r /etc/p
		x=/etc; bash -c 'cat $x/p'                     ⇒ r /p
		x=/etc bash -c 'cat $x/p'                      ⇒ r /etc/p
		f() { local x=/etc; cat $x/p; }; x=src; f; cat $x/q ⇒ r /etc/p
		declare -n r=t; t=/etc/p; cat $r               ⇒ r /etc/p
		a=(x /etc/p); cat "${a[1]}"                    ⇒ r /etc/p
		a=(/etc/p); a+=(/srv/q); cat "${a[@]}"         ⇒ r /etc/p, r /srv/q
		declare -A m; m[k]=/etc/p; cat "${m[k]}"       ⇒ r /etc/p
		declare -a a='(/etc/p)'; cat "${a[0]}"         ⇒ r /etc/p
		set -- /etc/p b; shift; cat $1                 ⇒
		set -- a /etc/p; shift; cat $1                 ⇒ r /etc/p
		readonly d=/etc; d=src; cat $d/p               ⇒
		readonly d=/etc; eval d=src; cat $d/p          ⇒ r /etc/p
		unset u; cat ${u:-/etc/p}                      ⇒ r /etc/p
		cat ${u:-/etc/p}                               ⇒ ?, r /etc/p
		printf -v x '%s/%s' /etc p; cat $x             ⇒ r /etc/p
		x=/e; x+=tc; cat $x                            ⇒ r /etc
		IFS=: read -r a b <<< /etc/p:x; cat $a         ⇒ r /etc/p
		read -r a b <<< 'x /etc/p'; cat $b             ⇒ r /etc/p
		read a < list.txt; cat $a                      ⇒ ?
		mapfile -t m <<< /etc/p; cat "${m[0]}"         ⇒ r /etc/p
		while getopts f: o -f /etc/p; do cat $OPTARG; done ⇒ r /etc/p
		let x=2+3; cat f$x                             ⇒

	branches and loops
		true && cat /etc/a                             ⇒ r /etc/a
		false && cat /etc/a                            ⇒
		false || cat /etc/a                            ⇒ r /etc/a
		ls && cat /etc/a                               ⇒ r /etc/a
		! true || cat /etc/a                           ⇒ r /etc/a
		if ls; then d=/etc; else d=src; fi; cat $d/p   ⇒ r /etc/p
		if false; then cat /etc/a; elif true; then cat /etc/b; else cat /etc/c; fi ⇒ r /etc/b
		case x in y) cat /etc/a;; x) cat /etc/b;; *) cat /etc/c;; esac ⇒ r /etc/b
		case x in x) cat /etc/a;& y) cat /etc/b;; *) cat /etc/c;; esac ⇒ r /etc/a, r /etc/b
		case $u in y) cat /etc/a;; *) cat /etc/c;; esac ⇒ r /etc/a, r /etc/c
		for i in a /etc/p; do cat $i; done             ⇒ r /etc/p
		for i in a b; do break; cat /etc/a; done       ⇒
		for i in a b; do [ $i = a ] && continue; cat /etc/$i; done ⇒ r /etc/b
		for ((i=0; i<3; i++)); do cat /etc/$i; done    ⇒ r /etc/0, r /etc/1, r /etc/2
		i=0; while ((i < 2)); do cat /etc/$i; ((i++)); done ⇒ r /etc/0, r /etc/1
		until ls; do d=/etc; done; cat $d              ⇒ ?, r /etc
		while ls; do cd ..; done; cat x                ⇒ ?, r /, r /p, r /p/x
		return; cat /etc/a                             ⇒ r /etc/a
		break; cat /etc/a                              ⇒ r /etc/a
		exec ls; cat /etc/a                            ⇒
		shopt -s execfail; exec ls; cat /etc/a         ⇒ r /etc/a
		bash -c 'exec ls; cat /etc/a'                  ⇒
		f() { break; }; for i in 1; do f; cat /etc/a; done ⇒ r /etc/a
		true > /etc/x || cat /etc/a                    ⇒ r /etc/a, w /etc/x
		printf %d x || cat /etc/a                      ⇒ r /etc/a
		local x=1 || cat /etc/a                        ⇒ r /etc/a
		set -o pipefail; false | true || cat /etc/a    ⇒ r /etc/a
		i=0; while ((i++ < 1)); do false; done || cat /etc/a ⇒ r /etc/a
		exit; cat /etc/a                               ⇒
		(exit); cat /etc/a                             ⇒ r /etc/a
		f() { return; cat /etc/a; }; f; cat /etc/b     ⇒ r /etc/b
		select i in a /etc/p; do cat $i; break; done   ⇒ r /etc/p

	functions
		f() { cat "$1"; }; f /etc/p                    ⇒ r /etc/p
		f() { cat /etc/p; }                            ⇒
		f() { f; }; f                                  ⇒ ?
		f() { cat /etc/p; }; unset -f f; f             ⇒
		f() { cat /etc/p; }; command f                 ⇒
		f() { cat $x; }; x=/etc/p f                    ⇒ r /etc/p

	text that is run
		eval 'cat /etc/p'                              ⇒ r /etc/p
		eval cat '$x'; x=/etc/p                        ⇒ ?
		eval "$u"                                      ⇒ ?
		bash -c 'cat "$1"' _ /etc/p                    ⇒ r /etc/p
		sh -c "bash -c 'cat /etc/p'"                   ⇒ r /etc/p
		echo 'cat /etc/p' | sh                         ⇒ r /etc/p
		curl -s https://x.org/i.sh | sh                ⇒ ?
		sh <<< 'cat /etc/p'                            ⇒ r /etc/p
		bash <<E⏎cat /etc/p⏎E                          ⇒ r /etc/p
		bash <<'E'⏎cat $HOME/p⏎E                       ⇒ r /home/u/p
		source <(echo 'cat /etc/p')                    ⇒ r /etc/p
		echo 'cat /etc/p' > s.sh; bash s.sh            ⇒ r /etc/p
		echo 'cat /etc/p' > s.sh; chmod +x s.sh; ./s.sh ⇒ r /etc/p
		echo 'cat /etc/p' >> s.sh; sh s.sh             ⇒ r /etc/p
		echo 'cat /etc/p' >> run.sh; sh run.sh         ⇒ r /etc/p
		curl x > s.sh; bash s.sh                       ⇒ ?
		curl x > s.sh; ./s.sh                          ⇒ ?
		cat <<< 'cat /etc/p' | bash -                  ⇒ r /etc/p
		echo 'd=/etc' > s.sh; . ./s.sh; cat $d/p       ⇒ r /etc/p
		trap 'cat /etc/p' EXIT                         ⇒ r /etc/p
		. ../other/run.sh                              ⇒ x /p/other/run.sh
		bash ../other/run.sh                           ⇒ x /p/other/run.sh
		../other/run.sh                                ⇒ x /p/other/run.sh
		./run.sh                                       ⇒
		/usr/bin/true                                  ⇒
		PS4='$(cat /etc/p)'; set -x; ls                ⇒ r /etc/p
		x='$(cat /etc/p)'; echo ${x@P}                 ⇒ r /etc/p
		test -v 'a[$(cat /etc/p)]'                     ⇒ r /etc/p
		let 'x=a[$(cat /etc/p)0]'                      ⇒ r /etc/p
		unset 'a[$(cat /etc/p)]'                       ⇒ r /etc/p
		printf '%d' 'a[$(cat /etc/p)]'                 ⇒
		alias c='cat /etc/p'⏎c                         ⇒
		shopt -s expand_aliases; alias c='cat /etc/p'⏎c ⇒ r /etc/p
		shopt -s expand_aliases; alias c='cat /etc/p'; c ⇒

	text flows
		cat $(echo /etc/p)                             ⇒ r /etc/p
		cat "$(pwd)/x"                                 ⇒
		cat $(dirname /etc/p/q)                        ⇒ r /etc/p
		cat $(git rev-parse --show-toplevel)/../x      ⇒ r /p/x
		cat $(find . -name '*.go')                     ⇒
		cat $(curl x)                                  ⇒ ?
		cat src/$(date +%s)                            ⇒
		echo /etc/p | xargs cat                        ⇒ r /etc/p
		find . | xargs cat                             ⇒
		T=$(mktemp -d); cp README.md "$T"/x; cd "$T"; cat y ⇒ r /tmp/*, w /tmp/*
		cd "$(mktemp -d)" && cat ../x                  ⇒ ?/tmp/*, r /tmp/*, w /tmp/*
		PS1='$(cat /etc/p)'                            ⇒ r /etc/p
		find /etc -name p | xargs cat                  ⇒ r /etc, r /etc/*
		find /etc | while read -r f; do cat "$f"; done ⇒ r /etc, r /etc/*
		curl x | xargs cat                             ⇒ ?
		echo /etc/p | while read -r f; do cat $f; done ⇒ r /etc/p
		git ls-files | while read -r f; do cat $f; done ⇒
		printf '%s\n' a /etc/p | sort | xargs -n1 cat  ⇒ ?
		printf '%s\n' b a | sort | head -1 | xargs cat ⇒
		head -c 4 <<< /etc_x | xargs cat               ⇒ ?
		grep -n x <<< x:/etc/p | cut -d: -f3 | xargs cat ⇒ ?
		grep -l x -r . | sort -u | head -3 | xargs cat ⇒
		cat $(date +%Y/%m)                             ⇒ ?
		cat $(expr /etc/p : '\(.*\)')                  ⇒ ?
		cat $(seq -f /etc/%g 3)                        ⇒ ?
		cat v$(git rev-parse HEAD)                     ⇒
		cat $(git --work-tree=/etc rev-parse --show-toplevel)/p ⇒ ?, r /etc
		xargs -I{} cat /etc/{} <<< p                   ⇒ r /etc/p
		cat <(cat /etc/p)                              ⇒ r /etc/p
		x=$(cat /etc/p)                                ⇒ r /etc/p
		cat <<E⏎$(cat /etc/p)⏎E                        ⇒ r /etc/p
		cat <<'E'⏎$(cat /etc/p) /etc/q⏎E               ⇒

	what the line makes
		ln -s /etc x; cat x/passwd                     ⇒ r /etc, r /etc/passwd
		ln -s ../.. up; cat up/etc/p                   ⇒ r /, r /etc/p
		ln -s / root && cat root/etc/p                 ⇒ r /, r /etc/p

	tests
		[ -f /etc/p ]                                  ⇒ r /etc/p
		test /etc/a -nt b                              ⇒ r /etc/a
		[[ -d /etc/p && -f src ]]                      ⇒ r /etc/p
		[[ /etc/p == x ]]                              ⇒
		[ "$x" = /etc/p ]                              ⇒

	variables that programs load
		PATH=/tmp/x:$PATH ls                           ⇒ r /tmp/x
		export LD_PRELOAD=/tmp/x.so                    ⇒ x /tmp/x.so
		PATH=$PWD/bin:$PATH ls                         ⇒

	lines that can't be read
		if true; then cat /etc/p                       ⇒ ?, r /etc/p
		cat 'x                                         ⇒ ?
	`)
}

func TestZshLines(t *testing.T) {
	cases(t, analyzer(t, world(t)), "zsh", `
		cat /etc/passwd                                ⇒ r /etc/passwd
		noglob cat /etc/p                              ⇒ r /etc/p
		echo /etc/p | read x; cat $x                   ⇒ r /etc/p
		print -l /etc/*                                ⇒ r /etc/*
		x='a b'; cat $x                                ⇒
		command cat /etc/p                             ⇒ r /etc/p
		- cat /etc/p                                   ⇒ r /etc/p
		repeat 3 cat /etc/p                            ⇒ r /etc/p
		foreach f (/etc/p) cat $f; end                 ⇒ r /etc/p
		path+=(/opt/bin)                               ⇒ r /opt/bin
		a=(/etc/p b); cat $a[1]                        ⇒ r /etc/p
		x=/etc/p; cat $x:h                             ⇒ r /etc
		for f (/etc/p) cat $f                          ⇒ r /etc/p
	`)
}

// Forms that the parser refuses or takes for something else, followed exactly.
func TestZshForms(t *testing.T) {
	cases(t, analyzer(t, world(t)), "zsh", `
		for f (a /etc/p) { cat $f }                    ⇒ r /etc/p
		for f in a /etc/p; cat $f                      ⇒ r /etc/p
		for f in a /etc/p; { cat $f } > /etc/o         ⇒ r /etc/p, w /etc/o
		for ((i=0; i<2; i++)) { cat /etc/p$i }         ⇒ r /etc/p0, r /etc/p1
		if [[ -n $x ]] cat /etc/p                      ⇒ r /etc/p
		if [[ -n $x ]] { cat /etc/p } else { cat /etc/q } ⇒ r /etc/p, r /etc/q
		if (( x )) { cat a } elif [[ -f /etc/r ]] { cat /etc/q } ⇒ r /etc/q, r /etc/r
		while (( x )) { cat /etc/p }                   ⇒ r /etc/p
		while [[ -e /etc/p ]] sleep 1                  ⇒ r /etc/p
		repeat 2 cat /etc/p && cat /etc/q              ⇒ r /etc/p, r /etc/q
		repeat 2 { cat /etc/p }                        ⇒ r /etc/p
		repeat 0 { cat /etc/p }                        ⇒
		repeat 2 do cat /etc/p; done                   ⇒ r /etc/p
		case x { x) cat /etc/p ;; *) cat /etc/q }      ⇒ r /etc/p
		select f (/etc/p) cat $f                       ⇒ r /etc/p
		print $(for f (/etc/p) cat $f)                 ⇒ r /etc/p
		sleep 1 &; cat /etc/p                          ⇒ r /etc/p
		if true; then; cat /etc/p; fi                  ⇒ r /etc/p
		() { cat $1 } /etc/p                           ⇒ r /etc/p
		() { return }; cat /etc/p                      ⇒ r /etc/p
		function { cat $2 } a /etc/p                   ⇒ r /etc/p
		f() { return } && cat /etc/p                   ⇒ r /etc/p
		f() return && cat /etc/p                       ⇒ r /etc/p
		f() { cat /etc/q } | cat /etc/p                ⇒ r /etc/p
		function f { cat /etc/q } && cat /etc/p        ⇒ r /etc/p
		for a (/etc) for b (p q) cat $a/$b             ⇒ r /etc/p, r /etc/q
		for a b (/etc p /tmp q) { cat $a/$b }          ⇒ r /etc/p, r /tmp/q
		for a b in $x $y; cat $b                        ⇒ ?
		{ cat /etc/p } always { cat /etc/q }           ⇒ r /etc/p, r /etc/q
		f() { { return } always { cat /etc/p }; cat /etc/q }; f ⇒ r /etc/p
		for i in a; do { break } always { cat /etc/p }; cat /etc/q; done ⇒ r /etc/p
		{ cd /etc } always { cat p } && cat q > o      ⇒ r /etc, r /etc/p, r /etc/q, w /etc/o
		{ ls; } > /etc/p always { ls }                 ⇒ ?, r /etc/p
		coproc { cat /etc/p }                          ⇒ r /etc/p
		coproc (cat /etc/p)                            ⇒ r /etc/p
		coproc cat /etc/p && cat /etc/q              ⇒ r /etc/p, r /etc/q

	patterns that the parser refuses: both ways are followed
		[[ a == ((a|b)|c) ]] && cat /etc/p || cat /etc/q ⇒ r /etc/p, r /etc/q
		[[ -prefix x ]] && cat /etc/p || cat /etc/q    ⇒ r /etc/p, r /etc/q
		[[ -f /etc/r && a == ((a|b)|c) ]]              ⇒ r /etc/r
		case a in ((a|b)|(c|d)) cat /etc/p;; *) cat /etc/q; esac ⇒ r /etc/p
		if (( #x )) { cat /etc/p } else { cat /etc/q } ⇒ r /etc/p, r /etc/q
		cat ${words[(r)-[CP]]:-x}                      ⇒ ?
		x=${words[(r)-[CP]]:-x}; cat $x                ⇒ ?
		print ${${(M)$(cat /etc/p):%<*>}//(<|>)/}      ⇒ r /etc/p
		cat /etc/((p|q)|r)                             ⇒ r /etc/*
		cat ${x::=$(cat /etc/p)[(r)-[CP]]}             ⇒ ?, r /etc/p
	`)
}

// A span points into the line that was typed, not into its long form.
func TestZshSpans(t *testing.T) {
	a := analyzer(t, world(t))
	for _, line := range []string{
		"for f (a b) { cat /etc/p }", "repeat 3 { cat /etc/p }", "if [[ $x ]] { cat a } else { cat /etc/p }",
		"foreach f (a b)\ncat /etc/p\nend", "() { cat a } b; cat /etc/p",
	} {
		r := request(line)
		r.Shell = "zsh"
		got := a.Analyze(r)
		n := 0
		for _, ac := range got.Accesses {
			if !ac.External {
				continue
			}
			n++
			if s := line[ac.Start:ac.End]; s != "/etc/p" {
				t.Errorf("%s: the span is %q", line, s)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d external accesses", line, n)
		}
	}
}

func TestSelf(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
	guard variables, functions, options and hooks
		unset -f __extdir_check                        ⇒ self:deny
		extdir_blocked=                                ⇒ self:deny
		readonly _extdir_x=1                           ⇒ self:deny
		__extdir_check() { :; }                        ⇒ self:deny
		PS0=                                           ⇒ self:deny
		PROMPT_COMMAND=ls                              ⇒ self:deny
		preexec() { :; }                               ⇒ self:deny
		set +o history                                 ⇒ self:deny
		HISTSIZE=0                                     ⇒ self:deny
		HISTSIZE=3                                     ⇒
		HISTCONTROL=ignorespace                        ⇒ self:deny
		HISTIGNORE='cat*'                              ⇒ self:deny
		HISTTIMEFORMAT='%F '                           ⇒
		export -n BASH_ENV                             ⇒ self:deny
		f() { PS0=; }; f                               ⇒ self:deny
		eval PS0=                                      ⇒ self:deny
		shopt -u promptvars                            ⇒ self:deny
		trap - DEBUG                                   ⇒ self:deny
		trap '' INT                                    ⇒ self:deny
		trap ls EXIT                                   ⇒
		export HOME=/p/app                             ⇒ self:deny
		HOME=/p/app ls                                 ⇒
		unset EXTDIR_SOCKET                            ⇒ self:deny
		XDG_CONFIG_HOME=/p/app/c                       ⇒ self:deny
		printf -v PS0 x                                ⇒ self:deny
		read PS0 <<< x                                 ⇒ self:deny
		declare -x BASH_ENV=/p/app/x                   ⇒ self:deny
		bash -c 'HOME=/p/app; ls'                      ⇒
		(PS0=)                                         ⇒

	history
		fc                                             ⇒ self:deny
		fc -l                                          ⇒
		fc -s ls                                       ⇒ self:deny
		history -c                                     ⇒
		history -d 3                                   ⇒

	the daemon and its answers
		pkill extdird                                  ⇒ self:deny
		extdird approve 7f3                            ⇒ self:deny
		extdird status                                 ⇒
		kill $(pidof extdird)                          ⇒ self:ask, self:deny

	leaving the guard
		bash --norc                                    ⇒ self:ask
		sh                                             ⇒ self:ask
		exec dash -i                                   ⇒ self:ask
		env A=b ksh -s                                 ⇒ self:ask
		sh <x                                          ⇒
		bash -p                                        ⇒ self:ask
		bash --norc -c 'cat /etc/p'                    ⇒ r /etc/p
		bash --posix <<< 'ls'                          ⇒
		env -u BASH_ENV bash                           ⇒ self:ask
		env -i bash                                    ⇒ self:ask
		bash                                           ⇒
		exec bash                                      ⇒
		sh -c ls                                       ⇒
		sudo -s                                        ⇒ self:ask
		sudo ls                                        ⇒
		sudo bash                                      ⇒ self:ask
		sudo bash -c ls                                ⇒
		su                                             ⇒ self:ask
		ssh host                                       ⇒ self:ask
		ssh host ls                                    ⇒
		docker exec -it c sh                           ⇒ self:ask
		docker exec c ls                               ⇒
		tmux send-keys -t 1 ls Enter                   ⇒ self:ask
	`)
}

func TestSpans(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		`cat /etc/passwd`:                    "/etc/passwd",
		`eval 'cat /etc/passwd'`:             "/etc/passwd",
		`bash -c "cat /etc/passwd"`:          "/etc/passwd",
		`echo hi > "/tmp/x"`:                 `"/tmp/x"`,
		`sh -c 'eval "cat /etc/passwd"'`:     "/etc/passwd",
		`cat <<E` + "\n$(cat /etc/p)\nE\n":   "/etc/p",
		`ls --color=auto --hide=x /etc`:      "/etc",
		`sudo cat /etc/shadow`:               "/etc/shadow",
		`for f in /etc/a; do cat $f; done`:   "$f",
		`timeout 5 bash -c 'cat "/etc/x y"'`: `"/etc/x y"`,
	} {
		l := a.Analyze(request(line))
		ok := false
		for _, ac := range l.Accesses {
			ok = ok || ac.External && line[ac.Start:ac.End] == want
		}
		if !ok {
			for _, ac := range l.Accesses {
				t.Logf("%s: %q", ac.Path, line[ac.Start:ac.End])
			}
			t.Errorf("%s: no access is marked as %s", line, want)
		}
	}
}

// What only the shell can tell: its aliases, functions and variables.
func TestShellState(t *testing.T) {
	a := analyzer(t, world(t))
	for _, c := range []struct {
		line  string
		with  func(*Request)
		want  string
		needs string
	}{
		{"deploy x", func(r *Request) { r.ShellKnown = false }, "?", "names:*"},
		{"ls", func(r *Request) { r.ShellKnown = false }, "", ""},
		{"deploy x", func(*Request) {}, "", ""},
		{"deploy /etc/p", func(r *Request) { r.Functions = map[string]string{"deploy": "cat \"$1\""} }, "r /etc/p", ""},
		{"deploy /etc/p", func(r *Request) {
			r.Functions = map[string]string{"deploy": "deploy () \n{ \n    cat \"$1\"\n}"}
		}, "r /etc/p", ""},
		{"deploy", func(r *Request) { r.Functions = map[string]string{"deploy": ""} }, "?", "func:deploy alias:deploy"},
		{"ls", func(r *Request) {
			r.Interactive, r.Functions, r.Aliases = true, map[string]string{"ls": ""}, map[string]string{"ls": "ls /etc"}
		}, "r /etc", ""},
		{"bash -c deploy", func(r *Request) { r.Functions = map[string]string{"deploy": "cat /etc/p"} }, "r /etc/p", ""}, // it may be exported
		{"c x", func(r *Request) { r.Interactive, r.Aliases = true, map[string]string{"c": "cat /etc/p"} }, "r /etc/p", ""},
		{"c x", func(r *Request) { r.Aliases = map[string]string{"c": "cat /etc/p"} }, "", ""},
		{`\c x`, func(r *Request) { r.Interactive, r.Aliases = true, map[string]string{"c": "cat /etc/p"} }, "", ""},
		{"ls", func(r *Request) { r.Interactive, r.Aliases = true, map[string]string{"ls": "ls /etc"} }, "r /etc", ""},
		{"cat $d/p", func(*Request) {}, "?", "var:d"},
		{"cat $d/p", func(r *Request) { r.Vars["d"] = Var{Set: true, Value: "/etc"} }, "r /etc/p", ""},
		{"cat $d/p", func(r *Request) { r.Vars["d"] = Var{} }, "r /p", ""},
		{`cat "${d[1]}"`, func(r *Request) { r.Vars["d"] = Var{Set: true, List: []string{"a", "/etc/p"}} }, "r /etc/p", ""},
		{"cd -", func(r *Request) { r.OldPwd = "/etc" }, "r /etc", ""},
		{"cd -", func(*Request) {}, "?", "var:OLDPWD"},
		{"cat x", func(r *Request) { r.Cwd = "" }, "?", ""},
		{"cat $1", func(r *Request) { r.Args = []string{"/etc/p"} }, "r /etc/p", ""},
		{"cd etc; cat p", func(r *Request) { r.CDPath = "/" }, "r /etc, r /etc/p", ""},
		{"cat x", func(r *Request) { r.Roots = nil }, "r /p/app/x", ""},
		{"x=/etc; cat $x", func(*Request) {}, "r /etc", ""},
	} {
		r := request(c.line)
		c.with(&r)
		l := a.Analyze(r)
		var needs []string
		for _, n := range l.Needs {
			needs = append(needs, n.Kind+":"+n.Name)
		}
		got := found(l)
		if r.Roots == nil {
			got = ""
			for _, ac := range l.Accesses {
				got += ac.Kind.String()[:1] + " " + ac.Path
			}
		}
		if got != c.want || strings.Join(needs, " ") != c.needs {
			t.Errorf("%s: %q needs %q, want %q needs %q", c.line, got, needs, c.want, c.needs)
		}
	}
}

func TestCommandForms(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		"git push origin":            "git push origin",
		"sudo env A=b git push":      "sudo env A=b git push | env A=b git push | git push",
		"x=1 git push > out":         "git push",
		"git push $x":                "git push …",
		"ls | xargs rm -f":           "ls; xargs rm -f | rm -f …",
		"command git push":           "command git push | git push",
		"bash -c 'git push'":         "bash -c git push; git push",
		"for i in 1 2; do ls; done":  "ls",
		"eval 'git  push' 'a b'":     "eval git  push a b; git push a b",
		`find . -exec rm {} \;`:      `find . -exec rm {} ; | rm .`,
		"exec git push":              "exec git push | git push",
		"time git push && git fetch": "git push; git fetch",
		"git -C . push origin":       "git -C . push origin | git push origin",
		"git -C . remote -v add a":   "git -C . remote -v add a | git remote -v add a | git remote add a",
		"docker -H $h run -it x":     "docker -H … run -it x | docker run -it x",
		"git -C . nobody -x":         "git -C . nobody -x | git nobody -x",
		"/usr/bin/git push":          "/usr/bin/git push | git push",
		"./run.sh a":                 "./run.sh a | run.sh a",
		"git $x push":                "git … push",
	} {
		var all []string
		for _, c := range a.Analyze(request(line)).Commands {
			var forms []string
			for _, f := range c.Forms {
				forms = append(forms, f.String())
			}
			all = append(all, strings.Join(forms, " | "))
		}
		if got := strings.Join(all, "; "); got != want {
			t.Errorf("%s:\n\tgot  %s\n\twant %s", line, got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]bool{
		"ls": false, "alias a=b": true, "unalias a": true, "f() { :; }": true, ". ./run.sh": true,
		`eval "$x"`: true, "eval ls": false, "unset -f f": true, "cd src": false,
	} {
		if got := a.Analyze(request(line)).Changes; got != want {
			t.Errorf("%s: Changes is %v", line, got)
		}
	}
}
