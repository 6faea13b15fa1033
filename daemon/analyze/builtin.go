package analyze

import (
	"errors"
	"strings"

	"extdir/daemon/access"
)

var errUnknownName = errors.New("the name isn't known")

// builtin is a command of the shell itself that changes the shell's state, or
// whose output can be told.
type builtin func(x *run, c *invocation) []*state

var builtins map[string]builtin

func init() {
	status := func(s status) builtin {
		return func(_ *run, c *invocation) []*state { return c.done(s) }
	}
	builtins = map[string]builtin{
		":": status(yes), "true": status(yes), "false": status(no),
		"cd": doCd, "chdir": doCd, "pushd": doPushd, "popd": doPopd, "dirs": doDirs, "pwd": doPwd,
		"echo": doEcho, "printf": doPrintf,
		"eval": doEval, "source": doSource, ".": doSource, "exec": doExec,
		"command": doCommand, "builtin": doBuiltin, "trap": doTrap,
		"break": doBreak, "continue": doBreak, "return": doReturn, "exit": doReturn, "logout": doReturn,
		"set": doSet, "shopt": doShopt, "shift": doShift, "unset": doUnset, "getopts": doGetopts,
		"declare": doDeclare, "typeset": doDeclare, "local": doDeclare, "export": doDeclare, "readonly": doDeclare,
		"read": doRead, "mapfile": doMapfile, "readarray": doMapfile, "let": doLet,
		"test": doTest, "[": doTest,
		"alias": doAlias, "unalias": doUnalias, "hash": doHash, "enable": doEnable,
		"bind": doBind, "complete": doComplete, "compgen": doComplete,
		"umask": status(either), "jobs": status(either), "wait": doWait, "times": status(yes),
		"disown": status(either), "fg": status(either), "bg": status(either), "ulimit": doUlimit, "limit": doLimit,
		"suspend": status(either), "caller": status(either), "type": doType, "help": status(yes),
	}
	zshBuiltins = map[string]builtin{
		"print": doPrint, "setopt": doSetopt, "unsetopt": doSetopt,
		"noglob": doPrefix, "nocorrect": doPrefix, "-": doPrefix, "unfunction": doUnset, "unhash": doUnalias,
		"integer": doDeclare, "float": doDeclare, "rehash": status(yes), "autoload": doAutoload,
		"bindkey": doBind, "zle": doZle, "compctl": doCompctl, "functions": doFunctions, "disable": doDisable, "zmodload": doZmodload,
		"whence": doType, "where": doType, "which": doType,
		"repeat": doRepeat, "foreach": doForeach, "end": doForeach,
		"emulate": doEmulate, "sched": doSched, "private": doDeclare,
		"zparseopts": doZparseopts, "zstyle": doZstyle, "zformat": doGives, "strftime": doGives, "getln": doGives, "vared": doGives,
		"sysread": doGives, "syserror": doGives, "zpty": doGives, "zselect": doGives, "zstat": doZstat,
	}
}

var zshBuiltins map[string]builtin

// builtin looks a builtin up.
func (x *run) builtin(st *state, name string) builtin {
	if b, ok := builtins[name]; ok {
		return b
	}
	if st.zsh {
		return zshBuiltins[name]
	}
	return nil
}

// doType looks names up; it prints where programs are, and reads nothing.
func doType(x *run, c *invocation) []*state {
	x.lookedUp(c, c.argv[1:])
	c.st.print(access.Unknowable(access.Any, c.start, c.end))
	return c.done(either)
}

func either2(sure bool) status {
	if sure {
		return yes
	}
	return either
}

// lookedUp reports names with a slash that type and command -v look for on disk.
func (x *run) lookedUp(c *invocation, names []access.Word) {
	for _, w := range names {
		if lit, ok := w.Lit(); ok && strings.Contains(lit, "/") && lit[0] != '-' {
			x.touch(c.st, c.st.cwd, target{word: w, kind: access.Read, why: "name that " + c.name() + " looks for"})
		}
	}
}
