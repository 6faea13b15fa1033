package analyze

import (
	"path"
	"regexp"
	"strings"

	"extdir/daemon/access"
)

// Programs of other purposes that can be turned on the guard: what ends or traces
// any process, and what types where nobody sits.

func init() {
	for name, check := range map[string]guardCheck{
		"kill": killAll, "loginctl": logsOut, "chsh": loginShell,
		"pkill": ends, "killall": ends, "skill": ends, "systemctl": systemManager,
		"gdb": traces, "strace": traces, "ltrace": traces, "lldb": traces, "reptyr": traces,
		"zellij": types("action write", "action write-chars"), "kitty": types("@ send-text", "@ send-key"), "kitten": types("@ send-text", "@ send-key"),
		"wezterm": types("cli send-text"), "xdotool": types("type", "key", "keydown"), "wtype": types(""), "ydotool": types("type", "key"),
		"xvkbd": types(""), "dotool": types(""), "dotoolc": types(""), "ttyecho": types(""), "osascript": scripted,
		"cp": copies, "ln": copies, "mv": copies, "install": copies, "rsync": copies, "ditto": copies, "dd": copies,
	} {
		guardCommands[name] = check
	}
	for name := range injectors {
		guardCommands[name] = injects
	}
}

// everyProcess is the sentence for what ends all a user runs.
const everyProcess = "ends every process of the user, the guard too"

// killAll finds the target -1: every process there is (kill(2)).
func killAll(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	targets := false // what follows is a target, whatever it looks like
	for i := 0; i < len(args); i++ {
		switch lit, _ := args[i].Lit(); {
		case strings.Contains(args[i].String(), "extdir"):
			return access.SelfDeny, "ends the guard"
		case targets && lit == "-1":
			return access.SelfDeny, everyProcess
		case lit == "--" || targets:
			targets = true
		case lit == "-s" || lit == "-n" || lit == "--signal":
			i++
			targets = true
		default:
			targets = true // the signal, or the first target
		}
	}
	return access.SelfNone, ""
}

// ends is pkill and killall: by name, or all of a user.
func ends(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	users, name := false, false
	for i := 0; i < len(args); i++ {
		lit, known := args[i].Lit()
		switch {
		case strings.Contains(args[i].String(), "extdir"):
			return access.SelfDeny, "ends the guard"
		case lit == "-u" || lit == "-U" || lit == "--user" || lit == "--euid" || lit == "--uid":
			users = true
			i++
		case strings.HasPrefix(lit, "--user=") || strings.HasPrefix(lit, "--euid=") || strings.HasPrefix(lit, "--uid=") || len(lit) > 2 && (lit[:2] == "-u" || lit[:2] == "-U"):
			users = true
		case lit == "-t" || lit == "-g" || lit == "-G" || lit == "-P" || lit == "-s" || lit == "-F":
			i++
			name = name || lit != "-s"
		case !known || !strings.HasPrefix(lit, "-"):
			name = name || lit != "." && lit != ".*"
		}
	}
	if users && !name {
		return access.SelfDeny, everyProcess
	}
	return access.SelfNone, ""
}

func systemManager(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	user, exit := false, false
	for _, w := range args {
		lit, _ := w.Lit()
		if strings.Contains(w.String(), "extdir") && !strings.Contains(litOf(args[0])+" "+litOf(args[min(1, len(args)-1)]), "status") {
			return access.SelfDeny, "ends the guard"
		}
		user = user || lit == "--user"
		exit = exit || lit == "exit"
	}
	if user && exit {
		return access.SelfDeny, everyProcess
	}
	return access.SelfNone, ""
}

func logsOut(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		switch lit, _ := w.Lit(); lit {
		case "terminate-user", "kill-user", "terminate-session", "kill-session", "terminate-seat":
			return access.SelfDeny, everyProcess
		}
	}
	return access.SelfNone, ""
}

func loginShell(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		if lit, _ := w.Lit(); lit == "-l" || lit == "--list-shells" || lit == "--help" || lit == "--version" {
			return access.SelfNone, ""
		}
	}
	return access.SelfAsk, "changes the shell of later logins"
}

// tracerValues are options of strace and ltrace with a value (strace(1), ltrace(1)).
var tracerValues = map[string]map[string]bool{
	"strace": words("-o -e -s -u -E -I -O -S -P -a -b -X -U"),
	"ltrace": words("-o -e -s -u -l -a -n -F -x -A -D"),
}

// pidFinder matches a substitution that finds a process by its name.
var pidFinder = regexp.MustCompile("^(\\$\\(|`) *(pgrep|pidof) ")

// traces finds a debugger that is led into a running process: the daemon, this
// shell or a terminal may be it. One that the line itself started ($!), or found
// under another name, is the line's own.
func traces(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	name := path.Base(litOf(g.argv[0]))
	for i := 0; i < len(args); i++ {
		w := args[i]
		lit, known := w.Lit()
		var pid access.Word
		switch {
		case lit == "--args":
			return access.SelfNone, ""
		case tracerValues[name][lit]:
			i++
			continue
		case strings.Contains(w.String(), "extdir"):
			return access.SelfDeny, "traces the guard"
		case !known && name != "reptyr":
			p, _ := w.Prefix()
			if !strings.HasPrefix(p, "-p") && !strings.HasPrefix(p, "--pid=") {
				continue
			}
			pid = w
		case (lit == "-p" || lit == "--pid" || lit == "--attach-pid" || lit == "attach") && i+1 < len(args):
			pid = args[i+1]
		case strings.HasPrefix(lit, "--pid="), strings.HasPrefix(lit, "-p") && len(lit) > 2 && strings.Trim(lit[2:], "0123456789") == "", name == "reptyr" && !strings.HasPrefix(lit, "-"):
			pid = w
		case lit == "--" || known && !strings.HasPrefix(lit, "-") && name != "gdb" && name != "lldb" && name != "reptyr":
			return access.SelfNone, "" // a program that it starts itself
		default:
			continue
		}
		for _, s := range pid.Segs {
			if s.Class == access.Known {
				continue
			}
			found := pidFinder.MatchString(s.From)
			switch {
			case found && strings.Contains(s.From, "extdir"):
				return access.SelfDeny, "traces the guard"
			case found || s.From == "$!":
				return access.SelfNone, ""
			}
		}
		return access.SelfAsk, "goes into a process that runs already"
	}
	return access.SelfNone, ""
}

// types makes a check for a program that types into a terminal or window when its
// words begin with one of forms, its options left out.
func types(forms ...string) guardCheck {
	return func(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
		var words []string
		for _, w := range args {
			if lit, _ := w.Lit(); !strings.HasPrefix(lit, "-") {
				words = append(words, lit)
			} else if lit == "--help" || lit == "--version" {
				return access.SelfNone, ""
			}
		}
		text := " " + strings.Join(words, " ") + " "
		for _, f := range forms {
			if f == "" || strings.Contains(text, " "+f+" ") {
				return access.SelfAsk, "types into a terminal"
			}
		}
		return access.SelfNone, ""
	}
}

// scripted is AppleScript: its keystrokes and "do script" are typed into a window.
func scripted(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	if level, why := injects(x, g, args); level != access.SelfNone {
		return level, why
	}
	if in, ok := g.Stdin(); ok {
		args = append(args[:len(args):len(args)], in)
	}
	for _, w := range args {
		text := strings.ToLower(w.String())
		for _, verb := range []string{"keystroke", "key code", "do script", "write text"} {
			if strings.Contains(text, verb) {
				return access.SelfAsk, "types into a terminal"
			}
		}
	}
	return access.SelfNone, ""
}

// injectors are interpreters, whose code may push characters into a terminal.
var injectors = words("python python2 python3 pypy pypy3 perl ruby node deno bun php lua luajit tclsh expect guile")

// injects finds the request that pushes a character into a terminal's input
// (TIOCSTI: ioctl_tty(2); 0x5412 on Linux, 0x80017472 on macOS). Nothing else is done with it.
func injects(_ *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	if in, ok := g.Stdin(); ok {
		args = append(args[:len(args):len(args)], in)
	}
	for _, w := range args {
		text := w.String()
		if !strings.Contains(text, "ioctl") && !strings.Contains(text, "TIOCSTI") {
			continue
		}
		lower := strings.ToLower(text)
		for _, request := range []string{"tiocsti", "0x5412", "21522", "0x80017472", "2147578994"} {
			if strings.Contains(lower, request) {
				return access.SelfDeny, "types into a terminal by TIOCSTI"
			}
		}
	}
	return access.SelfNone, ""
}

// copies finds the guard's programs among what is copied, linked or moved: under
// another name their words would not be looked at. One that lies inside is a build
// of somebody who works on the guard.
func copies(x *run, g *ground, args []access.Word) (access.SelfLevel, string) {
	for _, w := range args {
		lit, ok := w.Lit()
		lit = strings.TrimPrefix(lit, "if=")
		if base := path.Base(lit); !ok || base != "extdird" && base != "extdir-hook" {
			continue
		}
		full, ok := absolute(g.st.cwd, access.Text(lit)).Lit()
		if !ok || !strings.HasPrefix(full, "/") {
			continue
		}
		if real, err := x.real(g.st, full); err != nil || x.outside(real) {
			return access.SelfDeny, "gives the guard's own program another name, or another program its name"
		}
	}
	return access.SelfNone, ""
}
