package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// zshLetters are the single letters that zsh's set, setopt and zsh itself take for
// options (zshoptions(1)) of those that change what words mean or what runs.
var zshLetters = map[rune]string{
	'3': "nonomatch", '4': "globdots", '8': "markdirs", 'C': "noclobber", 'D': "pushdtohome", 'E': "pushdsilent",
	'F': "noglob", 'G': "nullglob", 'I': "ignorebraces", 'J': "autocd", 'K': "nobanghist", 'N': "autopushd",
	'P': "rcexpandparam", 'Q': "pathdirs", 'T': "cdablevars", 'V': "nopromptcr",
	'a': "allexport", 'e': "errexit", 'f': "norcs", 'g': "histignorespace", 'i': "interactive",
	'k': "interactivecomments", 'n': "noexec", 'p': "privileged", 'r': "restricted", 'u': "nounset",
	'v': "verbose", 'w': "chaselinks", 'x': "xtrace", 'y': "shwordsplit",
}

// zshSynonyms are names that other shells have for zsh's options; those that mean
// the contrary begin with "no".
var zshSynonyms = map[string]string{
	"braceexpand": "noignorebraces", "dotglob": "globdots", "hashall": "hashcmds", "histexpand": "banghist",
	"onecmd": "singlecommand", "physical": "chaselinks", "promptvars": "promptsubst", "stdin": "shinstdin",
}

// zshOption is an option's plain name: zsh takes underscores, capitals and "no".
func zshOption(name string, on bool) (string, bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "")
	if n, ok := strings.CutPrefix(name, "no"); ok && name != "notify" && name != "nomatch" {
		name, on = n, !on
	}
	if other, ok := zshSynonyms[name]; ok {
		return zshOption(other, on)
	}
	return name, on
}

// setZshOption turns an option of zsh on or off by one of its names.
func (x *run) setZshOption(st *state, name string, on bool, w access.Word) {
	name, on = zshOption(name, on)
	x.setOption(st, name, on, w)
	if (name == "exec" && !on || name == "noexec" && on) && !x.interactive(st) {
		st.flow, st.onExit = exits, access.Word{} // nothing runs any more
	}
}

// setZshLetter is setZshOption by a letter.
func (x *run) setZshLetter(st *state, letter rune, on bool, w access.Word) {
	if name, ok := zshLetters[letter]; ok {
		x.setZshOption(st, name, on, w)
	}
}

// emulated are the options that emulate sets without -R, and the modes in which they
// are on afterwards: z(sh), s(h), k(sh), c(sh). Measured, zsh 5.9.
var emulated = map[string]string{
	"aliases": "zskc", "allexport": "", "autocd": "", "badpattern": "zc", "bareglobqual": "z", "braceccl": "", "bsdecho": "s",
	"cdablevars": "", "chasedots": "", "chaselinks": "", "clobber": "zskc", "cprecedences": "skc", "cshjunkieloops": "c",
	"cshjunkiequotes": "c", "cshnullcmd": "c", "cshnullglob": "c", "equals": "z", "errexit": "", "errreturn": "",
	"extendedglob": "", "functionargzero": "zc", "glob": "zskc", "globassign": "c", "globdots": "", "globstarshort": "",
	"globsubst": "skc", "histsubstpattern": "", "ignorebraces": "s", "ignoreclosebraces": "", "ksharrays": "sk",
	"kshautoload": "sk", "kshglob": "k", "localoptions": "k", "localtraps": "k", "magicequalsubst": "", "multifuncdef": "z",
	"multios": "z", "nomatch": "zc", "nullglob": "", "numericglobsort": "", "octalzeroes": "s", "pathdirs": "", "pathscript": "sk",
	"pipefail": "", "posixaliases": "sk", "posixargzero": "", "posixbuiltins": "sk", "posixcd": "sk", "posixidentifiers": "sk",
	"posixstrings": "sk", "posixtraps": "sk", "pushdignoredups": "", "pushdminus": "", "pushdtohome": "", "rcexpandparam": "",
	"rcquotes": "", "shfileexpansion": "sk", "shglob": "sk", "shnullcmd": "sk", "shortloops": "zc", "shwordsplit": "sk",
	"typesettounset": "sk", "unset": "zsk",
}

// modes are the letters of emulated: any other name means zsh (zshbuiltins(1)); of
// one only the first letter counts, behind an r for restricted.
func mode(name string) byte {
	switch name = strings.TrimPrefix(name, "r"); {
	case strings.HasPrefix(name, "k"):
		return 'k'
	case strings.HasPrefix(name, "c"):
		return 'c'
	case strings.HasPrefix(name, "s"), strings.HasPrefix(name, "b"):
		return 's'
	}
	return 'z'
}

// emulate sets the options of a mode.
func (x *run) emulate(st *state, m byte) {
	for name, on := range emulated {
		st.setOpt(name, strings.IndexByte(on, m) >= 0)
	}
}

// doEmulate is zsh's emulate: -c TEXT runs text in a mode, -L gives the options back
// when the function ends, -R resets all of them.
func doEmulate(x *run, c *invocation) []*state {
	st := c.st
	var name access.Word
	named, local, reset := false, false, false
	var text *access.Word
	type option struct {
		name string
		on   bool
	}
	var extra []option
	args := c.argv[1:]
	for len(args) > 0 {
		o, known := args[0].Lit()
		if named && !known || !named && known && o == "" {
			break
		}
		if len(o) < 2 || o[0] != '-' && o[0] != '+' {
			if named {
				break
			}
			name, named = args[0], true
			args = args[1:]
			continue
		}
		args = args[1:]
		for _, f := range o[1:] {
			switch {
			case f == 'L':
				local = true
			case f == 'R':
				reset = true
			case f == 'c' && len(args) > 0:
				text = &args[0]
				args = args[1:]
			case f == 'o' && len(args) > 0:
				extra = append(extra, option{litOf(args[0]), o[0] == '-'})
				args = args[1:]
			case zshLetters[f] != "":
				extra = append(extra, option{zshLetters[f], o[0] == '-'})
			}
		}
	}
	if !named || st.zsh && len(c.argv) == 2 && litOf(c.argv[1]) == "-l" { // it shows the mode
		st.print(anything)
		return c.done(yes)
	}
	before, owned := st.opts, st.owned
	if text != nil {
		st.owned &^= ownOpts
	}
	lit, known := name.Lit()
	if !known {
		x.unknown("emulate: the mode can't be determined", name.Start, name.End)
	}
	_ = reset // what else it resets changes no word
	x.emulate(st, mode(lit))
	for _, o := range extra {
		x.setZshOption(st, o.name, o.on, c.argv[0])
	}
	if text != nil {
		res := x.again(st, *text, "emulate", c)
		for _, r := range res {
			r.opts, r.owned = before, r.owned&^ownOpts
		}
		_ = owned
		return res
	}
	if local {
		for _, o := range []string{"localoptions", "localtraps", "localpatterns"} {
			st.setOpt(o, true)
		}
	}
	return c.done(yes)
}
