package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// guardBuiltins are builtins that the guard of zsh alone calls, besides guardWords.
var guardBuiltins = words("sysread syswrite zsocket zmodload unfunction")

// guardModules are the modules that the guard of zsh loads.
var guardModules = words("zsh/net/socket zsh/system zsh/parameter zsh/zutil zsh/datetime")

// mayBeGuard tells whether a pattern of zsh may match a name that the guard
// depends on: by what stands before its first character that isn't literal.
func mayBeGuard(pattern string) bool {
	i := strings.IndexAny(pattern, `*?[(|<^#~\`)
	if i < 0 {
		return guardedFunc(pattern)
	}
	fixed := pattern[:i]
	if strings.ContainsRune(pattern, '|') && !strings.ContainsRune(fixed, '(') {
		fixed = "" // (a|b) without its parentheses
		if j := strings.IndexByte(pattern, '('); j > 0 && j <= i {
			fixed = pattern[:j]
		}
	}
	starts := func(name string) bool { return strings.HasPrefix(name, fixed) || strings.HasPrefix(fixed, name) }
	for _, p := range guardPrefixes {
		if starts(p) {
			return true
		}
	}
	for name := range guardFuncs {
		if strings.HasPrefix(name, fixed) {
			return true
		}
	}
	for name := range guardVars {
		if strings.HasPrefix(name, fixed) {
			return true
		}
	}
	return false
}

func guardedFunc(name string) bool {
	_, isVar := guardVars[name]
	return isGuardName(name) || guardFuncs[name] || isVar || strings.HasPrefix(name, "TRAP") && guardSignals[strings.TrimPrefix(name, "TRAP")]
}

// removesMatching looks at what a builtin with -m removes.
func (x *run) removesMatching(st *state, w access.Word) {
	if st.apart || st.child {
		return
	}
	if lit, ok := w.Lit(); !ok || mayBeGuard(lit) {
		x.onGuard(access.SelfDeny, w.Start, w.End, "may remove what the guard depends on")
	}
}

// doDisable is zsh's disable: of builtins, -f functions, -a aliases, -r reserved
// words; -m takes patterns.
func doDisable(x *run, c *invocation) []*state {
	flags := ""
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		if ok && len(lit) > 1 && lit[0] == '-' {
			flags += lit[1:]
			continue
		}
		x.line.Changes = true
		if c.st.apart || c.st.child || strings.ContainsAny(flags, "as") && ok {
			continue
		}
		harms := !ok || guardedFunc(lit)
		if strings.ContainsRune(flags, 'm') {
			harms = harms || mayBeGuard(lit) || !strings.ContainsRune(flags, 'f')
		} else if !strings.ContainsAny(flags, "fp") {
			harms = harms || guardBuiltins[lit] || guardWords[lit]
		}
		if harms {
			x.onGuard(access.SelfDeny, w.Start, w.End, "disables what the guard depends on")
		} else if ok && strings.ContainsRune(flags, 'f') {
			c.st.setFunc(lit, function{})
		}
	}
	return c.done(either)
}

// doZmodload is zsh's zmodload: -u unloads, -F switches single features.
func doZmodload(x *run, c *invocation) []*state {
	flags, off, guards := "", false, false
	for _, w := range c.argv[1:] {
		lit, ok := w.Lit()
		switch {
		case ok && len(lit) > 1 && lit[0] == '-' && !strings.ContainsRune(lit, ':'):
			flags += lit[1:]
		case ok && len(lit) > 1 && lit[0] == '-':
			off = true
		case !ok || guardModules[lit]:
			guards = true
		}
	}
	if guards && (strings.ContainsRune(flags, 'u') || strings.ContainsRune(flags, 'F') && off) && !c.st.apart && !c.st.child {
		x.onGuard(access.SelfDeny, c.start, c.end, "unloads a module that the guard depends on")
	}
	return c.done(either)
}
