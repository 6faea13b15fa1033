package analyze

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// leastLimits are limits of a shell below which the guard may be unable to ask, by
// the letter of ulimit and the names of prlimit and of zsh's limit: bash moves the
// descriptors it uses itself to 255 and below (general.c, move_to_high_fd), the
// client is a process, and it has to be mapped.
var leastLimits = []struct {
	letter       byte
	option, name string
	least        int
	what         string
}{
	{'n', "--nofile", "descriptors", 256, "descriptors"},
	{'u', "--nproc", "maxproc", 64, "processes"},
	{'v', "--as", "addressspace", 1 << 20, "memory"},
}

// tooLow tells whether a limit may be below the least. What isn't known may be.
func tooLow(w access.Word, least int) bool {
	lit, ok := w.Lit()
	if !ok {
		return true
	}
	low := false
	for part := range strings.SplitSeq(lit, ":") { // prlimit: SOFT:HARD
		n, err := strconv.Atoi(part)
		low = low || err == nil && n < least
	}
	return low
}

// doUlimit is ulimit: a letter, and a value in the same word or the next.
func doUlimit(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i := 0; i < len(args); i++ {
		lit, ok := args[i].Lit()
		if !ok || len(lit) < 2 || lit[0] != '-' {
			continue
		}
		for j := 1; j < len(lit); j++ {
			for _, l := range leastLimits {
				if lit[j] != l.letter {
					continue
				}
				value := args[i].From(j + 1)
				if value.Empty() && i+1 < len(args) {
					value = args[i+1]
				}
				if !value.Empty() {
					x.limits(c.st, value, l.least, l.what)
				}
			}
		}
	}
	c.st.print(access.Unknowable(access.Any, c.start, c.end))
	return c.done(either)
}

// doLimit is zsh's limit: names may be cut short.
func doLimit(x *run, c *invocation) []*state {
	if !c.st.zsh {
		return x.external(c)
	}
	args := c.argv[1:]
	for i, w := range args[:max(len(args)-1, 0)] {
		lit, _ := w.Lit()
		for _, l := range leastLimits {
			if lit != "" && lit[0] != '-' && strings.HasPrefix(l.name, lit) {
				x.limits(c.st, args[i+1], l.least, l.what)
			}
		}
	}
	return c.done(either)
}

func (x *run) limits(st *state, value access.Word, least int, what string) {
	if !st.apart && !st.child && tooLow(value, least) {
		x.onGuard(access.SelfDeny, value.Start, value.End, "leaves the shell too few "+what+" for the guard to ask")
	}
}

// otherLimits is prlimit for a process that runs already: it may be this shell.
func otherLimits(_ *run, _ *ground, args []access.Word) (access.SelfLevel, string) {
	running := false
	for _, w := range args {
		lit, ok := w.Lit()
		running = running || ok && (strings.HasPrefix(lit, "-p") || strings.HasPrefix(lit, "--p"))
	}
	for _, w := range args {
		for _, l := range leastLimits {
			var value access.Word
			switch p, _ := w.Prefix(); {
			case strings.HasPrefix(p, l.option+"="):
				value = w.From(len(l.option) + 1)
			case strings.HasPrefix(p, "-"+string(l.letter)):
				value = w.From(2)
				if q, _ := value.Prefix(); strings.HasPrefix(q, "=") {
					value = value.From(1)
				}
			}
			if running && !value.Empty() && tooLow(value, l.least) {
				return access.SelfDeny, "leaves a shell too few " + l.what + " for the guard to ask"
			}
		}
	}
	return access.SelfNone, ""
}

// doWait is wait: -p names a variable.
func doWait(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for i, w := range args {
		lit, ok := w.Lit()
		if !ok || len(lit) < 2 || lit[0] != '-' {
			continue
		}
		j := strings.IndexByte(lit, 'p')
		if j < 0 {
			continue
		}
		name := w.From(j + 1)
		if name.Empty() && i+1 < len(args) {
			name = args[i+1]
		}
		if n, known := name.Lit(); known {
			x.give(c.st, n, word.Value{State: word.Set, Scalar: access.Unknowable(access.Name, c.start, c.end)}, name)
		} else {
			x.clobber(c.st)
		}
	}
	return c.done(either)
}
