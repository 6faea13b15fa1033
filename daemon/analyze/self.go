package analyze

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
)

// What acts on the guard itself (contract: "From accesses to a verdict", class
// self). Names and levels are data; the checks below only look them up.

// guardPrefixes begin the names of the guard's variables and functions.
var guardPrefixes = []string{"extdir_", "__extdir_", "_extdir_", "EXTDIR_"}

// guardVars are variables the guard, or the shells after it, depend on. Set for
// one command alone they do no harm.
var guardVars = map[string]string{
	"PS0":                     "the hook that runs before a line",
	"PROMPT_COMMAND":          "the hook that runs before a prompt",
	"preexec_functions":       "the hooks that run before a line",
	"precmd_functions":        "the hooks that run before a prompt",
	"zshaddhistory_functions": "the hooks that see a line",
	"BASH_ENV":                "the start file of later shells",
	"ENV":                     "the start file of later shells",
	"ZDOTDIR":                 "where later shells find their start files",
	"HOME":                    "where later shells find their start files",
	"HISTCONTROL":             "which lines the history, and so the guard, sees",
	"HISTIGNORE":              "which lines the history, and so the guard, sees",
	"HISTSIZE":                "the history, from which the guard reads the line",
	"HISTFILESIZE":            "the history, from which the guard reads the line",
	"SAVEHIST":                "the history, from which the guard reads the line",
	"histchars":               "how the history reads a line",
	"BASH_COMMAND":            "the line the guard sees",
}

// promptTexts are variables whose text the shell expands, with the commands in it,
// before a prompt, for a trace, or when mail arrives.
var promptTexts = words("PS1 PS2 PS4 PROMPT RPROMPT RPS1 PROMPT2 prompt MAILPATH")

// guardFuncs are functions that are hooks of the shell.
var guardFuncs = words("preexec precmd zshaddhistory command_not_found_handle command_not_found_handler zshexit")

// guardSignals are those whose traps the guard needs. One on RETURN does nothing to it:
// no function of the guard has it while functrace is off, and none is traced.
var guardSignals = map[string]bool{"DEBUG": true, "INT": true, "2": true, "ZSH_DEBUG": true}

// guardOptions are options the guard depends on, with the value that harms it.
var guardOptions = map[string]bool{
	"history": false, "promptvars": false, "cmdhist": false, "lithist": true, "exec": false, "noexec": true,
	"rcs": false, "globalrcs": false, "extdebug": true, "privileged": true, "functrace": true,
	"histignorespace": true, "sharehistory": true, "promptsubst": false, "posix": true, "restricted": true,
}

// onGuard reports something that acts on the guard.
func (x *run) onGuard(level access.SelfLevel, start, end int, why string) {
	if level == access.SelfNone {
		return
	}
	x.add(access.Access{Kind: access.Self, Self: level, Why: why, Start: start, End: end})
}

func isGuardName(name string) bool {
	for _, p := range guardPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// harmlessValue tells for some of guardVars which values do no harm.
var harmlessValue = map[string]func(string) bool{
	"HISTSIZE":     keepsHistory,
	"HISTFILESIZE": keepsHistory,
	"SAVEHIST":     keepsHistory,
	"HISTCONTROL":  func(v string) bool { return v == "" || v == "erasedups" },
	"HISTIGNORE":   func(v string) bool { return v == "" },
}

// keepsHistory: with no room at all, or less than none in bash 3, lines are lost.
func keepsHistory(v string) bool {
	n, err := strconv.Atoi(v)
	return err == nil && n > 0
}

// guarded looks at an assignment that holds for later lines.
func (x *run) guarded(st *state, name string, value access.Word, n syntax.Node) {
	start, end := x.at[0], x.at[1]
	if as, ok := n.(*syntax.Assign); ok && as != nil {
		start, end = int(as.Pos().Offset()), int(as.End().Offset())
	}
	x.guardedName(st, name, value, start, end)
}

func (x *run) guardedName(st *state, name string, value access.Word, start, end int) {
	if st.apart || st.child {
		return // it ends with this shell
	}
	name, _, _ = strings.Cut(name, "[")
	if lit, known := value.Lit(); known && promptTexts[name] && strings.ContainsAny(lit, "$`") {
		if value.End <= value.Start {
			value.Start, value.End = start, end
		}
		x.hidden(st, value) // it runs before every prompt
	}
	if lit, known := value.Lit(); name == "HISTFILE" && (!known || lit != "") {
		w := value
		if w.End <= w.Start {
			w.Start, w.End = start, end
		}
		x.touch(st, st.cwd, target{word: w, kind: access.Write, why: "where the shell writes its history"})
	}
	if x.r.Interactive && (name == "PWD" || name == "OLDPWD") && (value.HasPrefix("/") || !value.Known()) {
		// Later lines are judged by where the shell is: what they find there is asked about now.
		w := value
		if w.End <= w.Start {
			w.Start, w.End = start, end
		}
		x.touch(st, st.cwd, target{word: w, kind: access.Read, why: "what later lines find in " + name})
	}
	what, ok := guardVars[name]
	switch {
	case isGuardName(name):
		what = "a variable of the guard"
	case strings.HasPrefix(name, "XDG_"):
		what = "where configuration is found"
	case !ok:
		return
	}
	if harmless := harmlessValue[name]; harmless != nil {
		if v, known := value.Lit(); known && harmless(v) {
			return
		}
	}
	x.onGuard(access.SelfDeny, start, end, "assigns "+name+": "+what)
}

// unsets looks at what unset and unfunction remove.
func (x *run) unsets(st *state, name string, w access.Word) {
	if st.apart || st.child {
		return
	}
	base, _, _ := strings.Cut(name, "[")
	_, isVar := guardVars[base]
	if isGuardName(base) || isVar || st.zsh && neededTables[base] || guardFuncs[base] || strings.HasPrefix(base, "XDG_") {
		x.onGuard(access.SelfDeny, w.Start, w.End, "removes "+base+", which the guard depends on")
	}
}

// guardWords are words of the guard's own code. A function or an alias of such a
// name runs in their place: aliases stand before reserved words, functions before
// builtins (bash(1), "COMMAND EXECUTION"; in posix mode alone not before special ones).
var guardWords = words("builtin command eval exec exit return set shopt setopt unsetopt emulate local declare typeset readonly export unset read printf " +
	"print history fc trap kill . source : break continue shift { } [[ ]] ! if then elif else fi case esac for select while until do done in function time coproc (( ")

// defines looks at the name of a new function or alias.
func (x *run) defines(st *state, name string, start, end int) {
	if st.apart || st.child {
		return // it ends with this shell
	}
	if guardWords[name] {
		x.onGuard(access.SelfDeny, start, end, "redefines "+name+", a word that the guard's code uses")
	}
	if isGuardName(name) || guardFuncs[name] || x.r.Shell == "zsh" && guardBuiltins[name] || strings.HasPrefix(name, "TRAP") && guardSignals[strings.TrimPrefix(name, "TRAP")] {
		x.onGuard(access.SelfDeny, start, end, "redefines "+name+", a part of the guard")
	}
}

// guardedOption looks at an option that is turned on or off.
func (x *run) guardedOption(st *state, name string, on bool, w access.Word) {
	start, end := w.Start, w.End
	if start == 0 && end == 0 {
		start, end = x.at[0], x.at[1]
	}
	if bad, ok := guardOptions[name]; ok && bad == on && !st.apart && !st.child {
		x.onGuard(access.SelfDeny, start, end, "changes the option "+name+", which the guard depends on")
	}
}

// guardCommand looks at a program whose purpose may be the guard.
func (x *run) guardCommand(g *ground, argv []access.Word) {
	lit, _ := argv[0].Lit()
	name := path.Base(lit)
	check, ok := guardCommands[name]
	if !ok {
		return
	}
	if level, why := check(x, g, argv[1:]); level != access.SelfNone {
		x.onGuard(level, argv[0].Start, max(argv[0].End, argv[len(argv)-1].End), why)
	}
}

type guardCheck func(x *run, g *ground, args []access.Word) (access.SelfLevel, string)

var guardCommands map[string]guardCheck

func init() {
	guardCommands = map[string]guardCheck{
		"pidof": named, "pgrep": named, "launchctl": ends,
		"extdird": control, "extdir-hook": control,
		"prlimit": otherLimits, "env": bareEnv, "fc": history, "r": history, "history": history,
		"tmux": tmuxKeys, "screen": screenKeys,
		"sudo": leaves, "doas": leaves, "su": leaves, "ssh": leaves, "mosh": leaves, "docker": container, "podman": container,
		"kubectl": container, "nerdctl": container, "login": leaves, "machinectl": leaves, "nsenter": leaves,
		"add-zsh-hook": hooks, "add-zle-hook-widget": hooks,
	}
	for name := range otherShells {
		guardCommands[name] = otherShell
	}
}

// bareEnv notes an environment that lacks what guards a shell.
func bareEnv(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	for i, w := range args {
		switch lit, _ := w.Lit(); {
		case lit == "-i" || lit == "-" || lit == "--ignore-environment":
			g.bare = "without BASH_ENV"
		case lit == "-u" || lit == "--unset":
			if i+1 < len(args) && startFiles[litOf(args[i+1])] {
				g.bare = "without " + litOf(args[i+1])
			}
		case strings.HasPrefix(lit, "-u") && startFiles[lit[2:]], strings.HasPrefix(lit, "--unset=") && startFiles[lit[8:]]:
			g.bare = "without its start file"
		case startFiles[strings.SplitN(lit, "=", 2)[0]] && strings.Contains(lit, "="):
			g.bare = "with another start file"
		case !strings.HasPrefix(lit, "-") && !strings.Contains(lit, "="):
			return access.SelfNone, ""
		}
	}
	return access.SelfNone, ""
}

// startFiles are variables that name a shell's start files.
var startFiles = words("BASH_ENV ENV ZDOTDIR HOME PS0 PROMPT_COMMAND EXTDIR_LOAD EXTDIR_SESSION")

// named looks up the daemon's process: nearly always to end it.
func named(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		if strings.Contains(w.String(), "extdir") {
			return access.SelfAsk, "looks for the guard's process"
		}
	}
	return access.SelfNone, ""
}

// harmless are the commands of the control program that only show.
var harmless = words("status rules explain why doctor root version help completion log audit sessions grants pending config ping check --help -h --version man schema run")

// answering are those that answer questions, or change what is allowed.
var answering = words("approve deny trust revoke pause stop guard install uninstall allow untrust answer reload")

func control(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	elsewhere := false
	for _, w := range args {
		lit, _ := w.Lit()
		if lit == "--" {
			break
		}
		elsewhere = elsewhere || lit == "--dir" || strings.HasPrefix(lit, "--dir=")
	}
	for i, w := range args {
		lit, ok := w.Lit()
		if !ok {
			return access.SelfDeny, "calls the guard's control with words that can't be determined"
		}
		if strings.HasPrefix(lit, "-") {
			continue
		}
		next := ""
		if i+1 < len(args) {
			next, _ = args[i+1].Lit()
		}
		switch {
		case answering[lit], lit == "root" && next == "add", lit == "config" && (next == "set" || next == "add" || next == "edit"), lit == "rules" && (next == "add" || next == "set"):
			return access.SelfDeny, "answers for the person, or changes what is allowed"
		case elsewhere && (lit == "run" || lit == "serve"):
			return access.SelfDeny, "starts a guard with other rules"
		case lit == "run":
			return wrapped(args[i+1:])
		case harmless[lit]:
			return access.SelfNone, ""
		}
	}
	return access.SelfNone, ""
}

// wrapped looks at what extdird run starts: a shell that it can't guard.
func wrapped(args []access.Word) (access.SelfLevel, string) {
	for i, w := range args {
		lit, _ := w.Lit()
		base := path.Base(lit)
		if d := shellDialect(base); d == "sh" || otherShells[base] {
			if i+1 == len(args) || strings.HasPrefix(litOf(args[i+1]), "-i") {
				return access.SelfAsk, "starts a shell that isn't guarded (extdir guards bash and zsh alone)"
			}
		}
	}
	return access.SelfNone, ""
}

// otherShells are shells whose language isn't followed.
var otherShells = words("fish csh tcsh pwsh powershell nu xonsh elvish yash rc es oil osh ysh")

// otherShell is such a shell that someone would type into.
func otherShell(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	if !g.Typed() {
		return access.SelfNone, ""
	}
	for _, w := range args {
		switch lit, ok := w.Lit(); {
		case !ok:
			return access.SelfNone, "" // a script, or text: asked about anyway
		case lit == "-i" || lit == "-l" || lit == "--login" || lit == "--interactive" || lit == "-NoExit":
		default:
			return access.SelfNone, ""
		}
	}
	return access.SelfAsk, "starts a shell that isn't guarded (extdir guards bash and zsh alone)"
}

// history is fc, r and history: running old lines again hides what runs.
func history(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	name, _ := g.argv[0].Lit()
	if name == "r" && !g.st.zsh {
		return access.SelfNone, ""
	}
	if name == "history" {
		for i, w := range args {
			if lit, _ := w.Lit(); i > 0 && (litOf(args[i-1]) == "-a" || litOf(args[i-1]) == "-w") && lit != "" {
				x.touch(g.st, g.st.cwd, target{word: w, kind: access.Write, why: "file that history writes"})
			}
		}
		return access.SelfNone, ""
	}
	for _, w := range args {
		if lit, _ := w.Lit(); len(lit) > 1 && lit[0] == '-' && strings.ContainsAny(lit[1:], "lpPRWAI") && name == "fc" {
			return access.SelfNone, ""
		}
	}
	return access.SelfDeny, "runs lines of the history again"
}

// tmuxKeys finds keystrokes that tmux types into a pane.
func tmuxKeys(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		lit, _ := w.Lit()
		for _, c := range []string{"send-keys", "send-prefix", "paste-buffer"} {
			// Any beginning of a command that no other has is enough (tmux(1)).
			if len(lit) >= 3 && strings.HasPrefix(c, lit) && lit != "sen" {
				return access.SelfAsk, "types into a terminal"
			}
		}
		if lit == "pasteb" {
			return access.SelfAsk, "types into a terminal"
		}
	}
	return access.SelfNone, ""
}

func screenKeys(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		switch lit, _ := w.Lit(); lit {
		case "stuff", "paste", "readbuf", "exec":
			return access.SelfAsk, "types into a terminal"
		}
	}
	return access.SelfNone, ""
}

// leaves finds shells the guard doesn't reach.
func leaves(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	lit, _ := g.argv[0].Lit()
	name := path.Base(lit)
	g.away = name == "sudo" || name == "doas" || name == "su" || name == "nsenter"
	valued := map[string]string{
		"sudo": "ugpCcDRrtTUh", "doas": "uC", "su": "gGsw", "mosh": "p",
		"ssh": "BbcDEeFIiJLlmOopQRSWw", "machinectl": "", "login": "h", "nsenter": "tSG",
	}[name]
	shell, command, host := false, false, false
	for i := 0; i < len(args); i++ {
		o, ok := args[i].Lit()
		if ok && len(o) > 1 && o[0] == '-' && !host {
			if strings.HasPrefix(o, "--") {
				switch o {
				case "--shell", "--login":
					shell = true
				case "--command":
					command = true
				case "--user", "--group", "--chdir", "--host":
					i++
				case "--version", "--help", "--list", "--validate", "--edit":
					return access.SelfNone, ""
				}
				command = command || strings.HasPrefix(o, "--command=")
				continue
			}
			for j := 1; j < len(o); j++ {
				f := o[j]
				if strings.IndexByte(valued, f) >= 0 {
					if j+1 == len(o) {
						i++
					}
					break
				}
				switch {
				case name == "sudo" && (f == 's' || f == 'i'), name == "doas" && f == 's':
					shell = true
				case name == "sudo" && strings.IndexByte("lvkKVe", f) >= 0, name == "ssh" && strings.IndexByte("VGN", f) >= 0:
					return access.SelfNone, ""
				case name == "su" && f == 'c':
					command = true
				}
			}
			continue
		}
		if (name == "sudo" || name == "doas") && strings.Contains(o, "=") {
			continue
		}
		if (name == "ssh" || name == "mosh") && !host {
			host = true
			continue
		}
		if name == "su" || name == "login" {
			continue
		}
		command = true
		break
	}
	switch {
	case command:
		return access.SelfNone, ""
	case name == "sudo" || name == "doas":
		if !shell {
			return access.SelfNone, ""
		}
	case name == "ssh" || name == "mosh":
		if !host || !g.Typed() {
			return access.SelfNone, ""
		}
	case name == "machinectl" || name == "nsenter":
		if len(args) == 0 || name == "machinectl" && litOf(args[0]) != "shell" && litOf(args[0]) != "login" {
			return access.SelfNone, ""
		}
	}
	return access.SelfAsk, "opens a shell that the guard doesn't reach"
}

// container finds interactive shells in containers.
func container(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	if !g.Typed() {
		return access.SelfNone, "" // what it is given runs in the container
	}
	enters, inter := false, false
	for i, w := range args {
		lit, ok := w.Lit()
		if !ok {
			continue
		}
		switch {
		case lit == "exec" || lit == "run" || lit == "attach":
			enters = true
		case lit == "--interactive" || lit == "--tty" || lit == "--stdin":
			inter = true
		case len(lit) > 1 && lit[0] == '-' && lit[1] != '-' && strings.Trim(lit[1:], "itdPq") == "" && strings.ContainsAny(lit, "it"):
			inter = true
		case enters && inter && shellDialect(path.Base(lit)) != "" && i == len(args)-1:
			return access.SelfAsk, "opens a shell that the guard doesn't reach"
		}
	}
	return access.SelfNone, ""
}

// hooks is zsh's add-zsh-hook.
func hooks(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		if lit, ok := w.Lit(); !ok || guardFuncs[lit] {
			return access.SelfDeny, "changes the hooks of the shell"
		}
	}
	return access.SelfNone, ""
}
