package analyze

import "testing"

func TestZshSelf(t *testing.T) {
	cases(t, analyzer(t, world(t)), "zsh", `
	removes or replaces the guard's functions
		disable -f _extdir_preexec                     ⇒ self:deny
		disable -f -m '*'                              ⇒ self:deny
		disable -f mine                                ⇒
		disable zsocket                                ⇒ self:deny
		disable r                                      ⇒
		unfunction -m '*'                              ⇒ self:deny
		unfunction -m '_ext*'                          ⇒ self:deny
		unfunction -m 'mine*'                          ⇒
		unfunction mine                                ⇒
		unset -f -m '_e*'                              ⇒ self:deny
		unset -fm 'mine_*'                             ⇒
		unhash -f _extdir_judge                        ⇒ self:deny
		unhash -fm '*'                                 ⇒ self:deny
		unhash -d src                                  ⇒
		functions[_extdir_judge]='return 0'            ⇒ self:deny
		functions[$k]='return 0'                       ⇒ ?, self:deny
		functions[precmd]=ls                           ⇒ self:deny
		functions[mine]=ls                             ⇒
		functions=()                                   ⇒ self:deny
		f() { :; }; functions -c f _extdir_judge       ⇒ self:deny
		f() { :; }; functions -c f precmd              ⇒ self:deny
		f() { :; }; functions -c f g                   ⇒
		functions f                                    ⇒
		unset functions                                ⇒ self:deny
		add-zsh-hook -d preexec _extdir_preexec        ⇒ self:deny
		add-zsh-hook chpwd mine                        ⇒
		zmodload -u zsh/net/socket                     ⇒ self:deny
		zmodload -F zsh/system -b:sysread              ⇒ self:deny
		zmodload zsh/system                            ⇒
		zmodload -u zsh/mathfunc                       ⇒
		sysread() { :; }                               ⇒ self:deny
		alias zmodload=ls                              ⇒ self:deny
		options[promptsubst]=on                        ⇒
		(unfunction -m '*')                            ⇒
	`)
}

func TestZshHooks(t *testing.T) {
	cases(t, analyzer(t, world(t)), "zsh at the prompt", `
		chpwd() { cat /etc/p }                         ⇒ r /etc/p
		chpwd() { ls }                                 ⇒
		mine() { cat /etc/p }                          ⇒
		periodic() cat /etc/p                          ⇒ r /etc/p
		TRAPUSR1() { cat /etc/p }                      ⇒ r /etc/p
		TRAPUSR1() { ls }                              ⇒
		TRAVEL() { cat /etc/p }                        ⇒
		f() { cat /etc/p }; chpwd_functions=(f)        ⇒ r /etc/p
		f() { cat /etc/p }; chpwd_functions+=(f)       ⇒ r /etc/p
		f() { ls }; chpwd_functions=(f)                ⇒
		chpwd_functions=(f); f() { cat /etc/p }        ⇒ r /etc/p
		chpwd_functions+=f; f() { cat /etc/p }         ⇒ r /etc/p
		chpwd_functions+=(f); functions[f]='cat /etc/p' ⇒ r /etc/p
		g() { cat /etc/p }; chpwd_functions=(f); functions -c g f ⇒ r /etc/p
		chpwd_functions=(g); f() { cat /etc/p }        ⇒
		f() { cat /etc/p }; some_functions=(f)         ⇒
		f() { cat /etc/p }; zle -N w f                 ⇒ r /etc/p
		f() { cat /etc/p }; zle -N f                   ⇒ r /etc/p
		f() { ls }; zle -N w f                         ⇒
		f() { cat /etc/p }; compctl -K f x             ⇒ r /etc/p
		compctl -s '$(cat /etc/p)' x                   ⇒ r /etc/p
		f() { cat /etc/p }; add-zsh-hook chpwd f       ⇒ r /etc/p
		zsh_directory_name() { cat /etc/p }            ⇒ r /etc/p
		functions[chpwd]='cat /etc/p'                  ⇒ r /etc/p
		f() { cat /etc/p }; functions -c f chpwd       ⇒ r /etc/p
	`)
}

func TestZshChanges(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]bool{
		"functions[ls]=pwd": true, "functions -c f ls": true, "functions f": false,
		"aliases[l]=ls": true, "commands[ls]=/bin/ls": true, "disable -f f": true, "x[1]=a": false,
	} {
		r := request(line)
		r.Shell = "zsh"
		if got := a.Analyze(r).Changes; got != want {
			t.Errorf("%s: Changes is %v", line, got)
		}
	}
}
