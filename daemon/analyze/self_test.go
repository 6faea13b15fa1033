package analyze

import "testing"

// TestGuardWords: functions and aliases that stand in for words of the guard's code.
func TestGuardWords(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		builtin() { :; }                               ⇒ self:deny
		function exit { :; }                           ⇒ self:deny
		alias builtin=:                                ⇒ self:deny
		alias {=:                                      ⇒ self:deny
		alias if='ls; if'                              ⇒ self:deny
		eval 'set() { :; }'                            ⇒ self:deny
		eval "alias exec=:"                            ⇒ self:deny
		(set() { :; }; set)                            ⇒
		bash -c 'set() { :; }; set x'                  ⇒
		settle() { :; }; alias execs=ls                ⇒
		alias ll='ls -l' gs='git status'               ⇒
	`)
}

// TestLimits: a shell that can't open anything can't ask.
func TestLimits(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		ulimit -n 10                                   ⇒ self:deny
		ulimit -Sn 3                                   ⇒ self:deny
		ulimit -Hn 255                                 ⇒ self:deny
		ulimit -n10                                    ⇒ self:deny
		ulimit -n $x                                   ⇒ self:deny
		ulimit -u 1                                    ⇒ self:deny
		ulimit -n 4096                                 ⇒
		ulimit -n                                      ⇒
		ulimit -n unlimited; ulimit -c 0               ⇒
		(ulimit -n 10; ls)                             ⇒
		prlimit --pid $$ --nofile=3                    ⇒ self:deny
		prlimit --pid=1234 -n=3:3                      ⇒ self:deny
		prlimit --pid $$ --nofile=4096                 ⇒
		prlimit --nofile=64 ls                         ⇒
	`)
}

// TestAssigns: whatever gives a variable of the guard a value.
func TestAssigns(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		declare -n q=PROMPT_COMMAND                    ⇒ self:deny
		declare -n q='PROMPT_COMMAND[98]'              ⇒ self:deny
		typeset -n q="$x"                              ⇒ ?
		for PROMPT_COMMAND in f; do :; done            ⇒ self:deny
		select PS0 in f; do break; done                ⇒ self:deny
		for ((HISTSIZE=0;;)); do break; done           ⇒ self:deny
		set -- -x; getopts x PROMPT_COMMAND            ⇒ self:deny
		read PROMPT_COMMAND                            ⇒ self:deny
		read -a PROMPT_COMMAND                         ⇒ self:deny
		mapfile PS0                                    ⇒ self:deny
		printf -v 'PS0[1]' x                           ⇒ self:deny
		q=PS0; printf -v "$q" x                        ⇒ self:deny
		wait -p PS0                                    ⇒ self:deny
		wait -np PS0                                   ⇒ self:deny
		coproc PS0 { ls; }                             ⇒ self:deny
		exec {PS0}> out                                ⇒ self:deny
		PROMPT_COMMAND+=(f)                            ⇒ self:deny
		PROMPT_COMMAND[98]=                            ⇒ self:deny
		: ${PS0:=x}                                    ⇒ self:deny
		((HISTSIZE=-1))                                ⇒ self:deny
		let HISTSIZE=0                                 ⇒ self:deny
		echo $((HISTSIZE=0))                           ⇒ self:deny
		for i in f; do :; done; select j in f; do break; done ⇒
		declare -n q=y; q=1; read y; mapfile l; wait -p y ⇒
		(PS0=x; for PS0 in a; do :; done)              ⇒
		f() { local -n r=$1; r=1; }; f y               ⇒
	`)
}

// TestUnguardedShells: shells that someone would type into, and the guard isn't in.
func TestUnguardedShells(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		fish                                           ⇒ ?, self:ask
		tcsh -l                                        ⇒ ?, self:ask
		fish --version                                 ⇒
		exec -a sh zsh                                 ⇒ self:ask
		exec -a -bash bash                             ⇒
		zsh +o rcs                                     ⇒ self:ask
		zsh -o extendedglob                            ⇒
		env -u PS0 bash                                ⇒ self:ask
		env -u EXTDIR_SESSION bash                     ⇒ self:ask
		env -u PS0 bash -c ls                          ⇒
		extdird run -- sh                              ⇒ self:ask
		extdird run -- sh -c ls                        ⇒
		extdird run -- bash                            ⇒
		extdird run --dir d bash                       ⇒ self:deny
		extdird serve --dir d                          ⇒ self:deny
		extdird status --dir d                         ⇒
	`)
}

// TestLater: what the shell does by itself, or a nested shell with what was exported.
func TestLater(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		f(){ cat /etc/p; }; export -f f; bash -c f     ⇒ r /etc/p
		f(){ cat /etc/p; }; bash -c f                  ⇒
		HISTFILE=/srv/x                                ⇒ w /srv/x
		HISTFILE=~/.bashrc; history -a                 ⇒ w /home/u/.bashrc
		HISTFILE=; unset HISTFILE                      ⇒
		PS4='$(cat /etc/p)'                            ⇒ r /etc/p
		PS4='+ $LINENO: '                              ⇒
		MAILPATH='m?$(cat /etc/p)'                     ⇒ r /etc/p
	`)
}

// TestPositional: the parameters of a shell at its prompt may have been set before.
func TestPositional(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{"cat $1": "?", `cat "$@"`: "?", "set -- x; cat $1": "", "echo $#": ""} {
		r := request(line)
		r.Interactive = true
		if got := found(a.Analyze(r)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestEvaluated: values and subscripts that the shell evaluates.
func TestEvaluated(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		x='a[$(cat /etc/p)]'; RANDOM=$x                ⇒ r /etc/p
		x='a[$(cat /etc/p)]'; OPTIND=x                 ⇒ r /etc/p
		x='a[$(cat /etc/p)]'; declare "b[x]=1"         ⇒ r /etc/p
		x='a[$(cat /etc/p)]'; declare -n q='b[x]'      ⇒ r /etc/p
		declare -i n; n='a[$(cat /etc/p)]'             ⇒ r /etc/p
		declare -i n=1; n+=1; OPTIND=1; RANDOM=42      ⇒
		x=1; declare "b[x]=1"; declare -A m; m[x]=1    ⇒
		BASH_ALIASES[builtin]=:                        ⇒ self:deny
		BASH_ALIASES[$x]=:                             ⇒ ?
		BASH_ALIASES[ll]='ls -l'                       ⇒
		BASH_CMDS[ls]=/srv/x                           ⇒ x /srv/x
		BASH_ARGV0=/srv; cat $0                        ⇒ r /srv
		v=/srv; shopt -s cdable_vars; cd v; cat x      ⇒ r /srv, r /srv/x
		v=/srv; shopt -s cdable_vars; cd src; cat x    ⇒
		v=x; . ./lib.sh; cat $v                        ⇒ ?
		v=x; . ./env.sh && go test ./... && echo $v    ⇒
	`)
}

// TestEarlierLines: aliases and functions of lines before this one.
func TestEarlierLines(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		"show dir": "r /srv/p", "show maybe": "?", "show file": "", "bash -c load": "r /etc/p", "env bash -c load": "r /etc/p",
		"bash -c ls": "", "sh -c load": "", "find . -exec bash -c load \\;": "r /etc/p", "bash -c maybe": "?",
	} {
		r := request(line)
		r.Interactive = true
		r.Options = map[string]bool{"expand_aliases": true}
		r.Aliases = map[string]string{"show": "cat ", "dir": "/srv/p"}
		r.Functions = map[string]string{"load": "{ cat /etc/p; }", "maybe": ""}
		if got := found(a.Analyze(r)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestStack: directories that lines before this one pushed aren't known.
func TestStack(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		"cat ~1/x": "?", "cat ~-0/x": "?", "cat ${DIRSTACK[1]}": "?", "pushd src; cat ~1/x": "", "pushd -n /srv; cat ~1/x": "r /srv/x",
		"PWD=/srv": "r /srv", "PWD=$PWD/src": "", "cd src; OLDPWD=/p/app": "", "(PWD=/srv)": "",
		"cat ~+/x": "", "f() { cat /etc/p; }; complete -F f x": "r /etc/p", "complete -F _git g": "",
	} {
		r := request(line)
		r.Interactive = true
		if got := found(a.Analyze(r)); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
