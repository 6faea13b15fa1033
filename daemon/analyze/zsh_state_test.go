package analyze

import "testing"

func TestZshState(t *testing.T) {
	cases(t, analyzer(t, world(t)), "zsh", `
		x=(a b); x[1]=/etc/p; cat $x[1]                ⇒ r /etc/p
		x=(/etc/p b); x[1]=a; cat $x[1]                ⇒
		x=(/etc/p b); x[2]=c; cat $x[2]                ⇒
		x=abc; x[1]=/etc/p; cat $x                     ⇒ r /etc/pbc
		set -A x /etc/p b; cat $x[1]                   ⇒ r /etc/p
		set -A x a b; cat $x                           ⇒
		read -A x <<< '/etc/p b'; cat $x[1]            ⇒ r /etc/p
		read -A x <<< 'a b'; cat $x[1]                 ⇒
		print -v x /etc/p; cat $x                      ⇒ r /etc/p
		print -v x a; cat $x                           ⇒
		typeset -T A a; a=(/etc/p); cat $A             ⇒ r /etc/p
		argv=(/etc/p); cat $1                          ⇒ r /etc/p
		argv=(a); cat $1                               ⇒
		set -- /etc/p; cat $argv                       ⇒ r /etc/p
		set -- a; cat $argv                            ⇒
		path+=/opt/bin                                 ⇒ r /opt/bin
		path+=bin                                      ⇒
		cdpath=(/etc); cd ssl; cat s                   ⇒ r /etc/ssl, r /etc/ssl/s
		cdpath=(src); cd sub; cat s                    ⇒
		dirstack=(/etc); cat ~1/s                      ⇒ r /etc/s
		dirstack=(src); cat ~1/s                       ⇒
		dirs /etc; cat ~1/s                            ⇒ r /etc, r /etc/s
		setopt cdablevars; q=/etc; cd q                ⇒ r /etc
		setopt cdablevars; cd src                      ⇒
		x='$(cat /etc/p)'; echo ${(e)x}                ⇒ r /etc/p
		x='a'; echo ${(e)x}                            ⇒
		setopt promptsubst; x='$(cat /etc/p)'; echo ${(%%)x} ⇒ r /etc/p
		x='%~'; echo ${(%%)x}                          ⇒
		functions[ls]='cat /etc/p'; ls                 ⇒ r /etc/p
		f() { cat /etc/p }; functions -c f ls; ls      ⇒ r /etc/p
		commands[ls]=/srv/evil                         ⇒ x /srv/evil
		hash ls=/srv/evil                              ⇒ x /srv/evil
		hash ls=/usr/bin/ls                            ⇒
		fpath=(/srv/fp $fpath)                         ⇒ r /srv/fp
		autoload /srv/fp/evil                          ⇒ x /srv/fp/evil
		cat ${(f)"$(ls)"}                              ⇒
		for f in ${(f)"$(git diff --name-only)"}; do cat $f; done ⇒
		cat ${(f)"$(ls /etc)"}                         ⇒ ?, r /etc
		rm "${(@f)$(ls src)}"                          ⇒
		f() { typeset -g y=/etc/p }; f; cat $y         ⇒ r /etc/p
		typeset -A m; m=(a /etc/p b x); for k in ${(k)m}; do cat $m[$k]; done ⇒ r /etc/p
		typeset -A m; m=(a q b x); for k in ${(k)m}; do cat $m[$k]; done ⇒
		echo $mapfile[$k]                              ⇒ ?
		echo $mapfile[/etc/p]                          ⇒ ?
		echo "${mapfile[/etc/p]}"                      ⇒ ?
		mapfile[/etc/p]=a                              ⇒ ?
		unset 'mapfile[/etc/p]'                        ⇒ w /etc/p
		setopt ksharrays; x=(/etc/p b); cat ${x[0]}    ⇒ r /etc/p
		setopt ksharrays; x=(a /etc/p); cat ${x[0]}    ⇒
		setopt ksharrays; x=(a b); x[1]=/etc/p; cat ${x[1]} ⇒ r /etc/p
		x=(/etc/p b); unset 'x[1]'; cat ${x[2]}        ⇒
		setopt rcexpandparam; x=(p q); cat /etc/$x     ⇒ r /etc/p, r /etc/q
		x=(p q); cat /etc/$^x.c                        ⇒ r /etc/p.c, r /etc/q.c
		x=(p q); cat /etc/${^x}/*                      ⇒ r /etc/p/*, r /etc/q/*
		x=$'/etc/p\na'; cat ${(f)x}                     ⇒ r /etc/p
		x=a:/etc/p; cat ${${(s.:.)x}[2]}               ⇒ r /etc/p
		x=a:/etc/p; cat ${${(s.:.)x}[1]}               ⇒
		x=(a /etc/p b); cat ${(M)x:#/*}                ⇒ r /etc/p
		x=(a /etc/p b); cat ${x:#/*}                   ⇒
		x=/etc/a.c; cat ${x:s/etc/srv/}                ⇒ r /srv/a.c
		aliases[l]='cat /etc/p'⏎l                      ⇒ r /etc/p
		galiases[G]=ls                                 ⇒ ?
		cat ~1/s                                       ⇒ ?
		dirs src; cat ~1/s                             ⇒
		typeset 'functions[_extdir_x]=a'               ⇒ ?, self:deny
		typeset 'other[_extdir_x]=a'                   ⇒
		: ${functions[_extdir_x]:=a}                   ⇒ ?, self:deny
		: ${other[k]:=a}                               ⇒
		read 'functions[_extdir_x]' <<< a              ⇒ ?, self:deny
		print -v 'functions[mine]' a                   ⇒ ?
		f() { cat /etc/p }; typeset -a zshexit_functions=(f) ⇒ r /etc/p
		f() { cat /etc/p }; typeset -a other=(f)       ⇒
		zshexit_functions=(f); f() { cat /etc/p }      ⇒ r /etc/p
		zshexit_functions+=(f); f() { cat /etc/p }     ⇒ r /etc/p
		typeset -a zshexit_functions=(g f); f() { cat /etc/p } ⇒ r /etc/p
		chpwd_functions=(g); f() { cat /etc/p }        ⇒
		cat ~[x]/s                                     ⇒ ?
		type /etc/p                                    ⇒ r /etc/p
		type ls                                        ⇒
		command -v /etc/p                              ⇒ r /etc/p
		command -v ls                                  ⇒
	`)
}
