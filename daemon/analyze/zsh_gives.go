package analyze

import (
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// Builtins of zsh's modules that store what they find in variables by name
// (zshmodules(1)): it isn't known afterwards.

// gives says which words name variables: behind these options, and the operands from
// a place on, counted from 0; -1 is none.
var gives = map[string]struct {
	valued, names string // options with a value; of these those whose value is a name
	from          int
	to            int
	uses          string // a variable that is set without being named
}{
	"zformat":  {"faF", "faF", -1, 0, ""},
	"strftime": {"s", "s", -1, 0, ""},
	"getln":    {"", "", 0, 1 << 10, ""},
	"vared":    {"AacdeghiMmprtf", "", 0, 1, ""},
	"sysread":  {"ciost", "ci", 0, 1, "REPLY"},
	"syserror": {"ep", "e", -1, 0, ""},
	"zpty":     {"", "", -1, 0, "REPLY"},
	"zselect":  {"atA", "aA", -1, 0, "reply"},
}

// given makes a variable unknown that a builtin sets.
func (x *run) given(st *state, w access.Word) {
	name, ok := w.Lit()
	if !ok {
		x.clobber(st)
		return
	}
	x.assign(st, name, word.Value{}, w)
}

// doGives is one of those builtins.
func doGives(x *run, c *invocation) []*state {
	g := gives[c.name()]
	args := c.argv[1:]
	operands := 0
	if g.uses != "" {
		x.given(c.st, access.Text(g.uses))
	}
	for len(args) > 0 {
		w := args[0]
		args = args[1:]
		lit, ok := w.Lit()
		if ok && len(lit) > 1 && lit[0] == '-' && operands == 0 {
			for i := 1; i < len(lit); i++ {
				if strings.IndexByte(g.valued, lit[i]) < 0 {
					continue
				}
				if c.name() == "vared" && strings.IndexByte("AaceghdM", lit[i]) >= 0 {
					continue // these have none
				}
				var v access.Word
				if i+1 < len(lit) {
					v = w.From(i + 1)
				} else if len(args) > 0 {
					v, args = args[0], args[1:]
				}
				if strings.IndexByte(g.names, lit[i]) >= 0 {
					x.given(c.st, v)
				}
				break
			}
			continue
		}
		if g.from >= 0 && operands >= g.from && operands < g.to {
			x.given(c.st, w)
		}
		operands++
	}
	if c.name() == "zpty" && len(c.argv) > 2 {
		x.zpty(c)
	}
	return c.done(either)
}

// zpty is zpty NAME COMMAND...: the words are run as a line; -w types text into it.
func (x *run) zpty(c *invocation) {
	args := c.argv[1:]
	for len(args) > 0 {
		lit := litOf(args[0])
		if len(lit) < 2 || lit[0] != '-' {
			break
		}
		if strings.ContainsAny(lit, "wrtdL") {
			if strings.Contains(lit, "w") {
				x.unknown("what is typed into a terminal of zpty isn't followed", c.start, c.end)
			}
			if strings.Contains(lit, "r") {
				for _, w := range args[1:] {
					x.given(c.st, w)
				}
			}
			return
		}
		args = args[1:]
	}
	if len(args) > 1 {
		sub := x.asSubshell(c.st.fork())
		sub.in, sub.keep = input{kind: fromPipe}, false
		x.keepFiles(c.st, x.again(sub, joined(args[1:]), "zpty", c))
	}
}

// doZparseopts is zparseopts: options into arrays, -D takes them from the words.
func doZparseopts(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for len(args) > 0 {
		w := args[0]
		lit, ok := w.Lit()
		if !ok || len(lit) < 2 || lit[0] != '-' {
			break
		}
		args = args[1:]
		if lit == "--" || lit == "-" {
			break
		}
		for i := 1; i < len(lit); i++ {
			switch lit[i] {
			case 'D':
				c.st.args, c.st.argsOK = nil, false
			case 'a', 'A', 'v':
				var v access.Word
				if i+1 < len(lit) {
					v = w.From(i + 1)
				} else if len(args) > 0 {
					v, args = args[0], args[1:]
				}
				i = len(lit)
				x.given(c.st, v)
			}
		}
	}
	for _, w := range args {
		if _, name, ok := w.Cut('='); ok {
			x.given(c.st, name)
		}
	}
	return c.done(either)
}

// doZstyle is zstyle: -s -b -a CONTEXT STYLE NAME and -g NAME give values, -e sets
// one that is evaluated when it is looked up.
func doZstyle(x *run, c *invocation) []*state {
	if len(c.argv) < 3 {
		return c.done(either)
	}
	switch litOf(c.argv[1]) {
	case "-s", "-b", "-a", "-h":
		if len(c.argv) > 4 {
			x.given(c.st, c.argv[4])
		}
	case "-g":
		x.given(c.st, c.argv[2])
	case "-e":
		sub := c.st.fork()
		x.again(sub, joined(c.argv[min(4, len(c.argv)):]), "zstyle -e", c)
	}
	return c.done(either)
}

// doZstat is zstat of zsh/stat: it looks at files and may give an array.
func doZstat(x *run, c *invocation) []*state {
	args := c.argv[1:]
	for len(args) > 0 {
		w := args[0]
		lit, ok := w.Lit()
		if ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
			args = args[1:]
			if i := strings.IndexAny(lit, "AHFf"); lit[0] == '-' && i > 0 {
				var v access.Word
				if i+1 < len(lit) {
					v = w.From(i + 1)
				} else if len(args) > 0 {
					v, args = args[0], args[1:]
				}
				if lit[i] == 'A' || lit[i] == 'H' {
					x.given(c.st, v)
				}
			}
			continue
		}
		break
	}
	for _, w := range args {
		x.touch(c.st, c.st.cwd, target{word: w, kind: access.Read, why: "operand of zstat"})
	}
	c.st.print(anything)
	return c.done(either)
}
