package analyze

import (
	"strings"

	"extdir/daemon/access"
)

// printOptions are the options of zsh's print (zshbuiltins(1)).
type printOptions struct {
	sep            string
	raw, newline   bool
	format         *access.Word // -f
	variable       *access.Word // -v
	prompt         bool         // -P
	other          bool         // what is printed isn't followed
	elsewhere      bool         // it isn't standard output that is written
	stored, edited bool         // -s, -S; -z
}

// printing reads the options of print.
func printing(args []access.Word) (o printOptions, rest []access.Word) {
	o = printOptions{sep: " ", newline: true}
	for len(args) > 0 {
		lit, ok := args[0].Lit()
		if !ok || lit == "" || lit[0] != '-' {
			break
		}
		w := args[0]
		args = args[1:]
		if lit == "-" || lit == "--" {
			break
		}
		for i := 1; i < len(lit); i++ {
			f := lit[i]
			var v access.Word
			valued := strings.IndexByte("fuCvxX", f) >= 0
			if valued {
				if i+1 < len(lit) {
					v = w.From(i + 1)
				} else if len(args) > 0 {
					v, args = args[0], args[1:]
				}
				i = len(lit)
			}
			switch f {
			case 'l':
				o.sep = "\n"
			case 'r':
				o.raw = true
			case 'R': // as echo of BSD: what follows is text but for -n
				o.raw = true
				for len(args) > 0 && litOf(args[0]) == "-n" {
					o.newline, args = false, args[1:]
				}
				return o, args
			case 'n':
				o.newline = false
			case 'P':
				o.prompt = true
			case 'z':
				o.edited, o.elsewhere = true, true
			case 's', 'S':
				o.stored, o.elsewhere = true, true
			case 'p':
				o.elsewhere = true
			case 'u':
				o.elsewhere = litOf(v) != "1"
			case 'f':
				o.format = &v
			case 'v':
				o.variable = &v
			case 'b', 'e': // what is decoded anyway
			default: // -a -c -C -D -i -m -N -o -O -x -X
				o.other = true
			}
		}
	}
	return o, args
}

// doPrint is zsh's print.
func doPrint(x *run, c *invocation) []*state {
	o, args := printing(c.argv[1:])
	if o.edited || o.stored {
		x.onGuard(access.SelfAsk, c.start, c.end, "puts text into the line editor or the history")
	}
	args, _ = x.spread(c.st, args)
	var out access.Word
	switch {
	case o.format != nil:
		out = format(*o.format, args)
		o.newline = false
	default:
		for i, a := range args {
			if i > 0 {
				out = out.Concat(access.Text(o.sep))
			}
			if o.prompt {
				x.hidden(c.st, a)
				lit, ok := a.Lit()
				o.other = o.other || !ok || strings.ContainsAny(lit, "%!$`")
			}
			if !o.raw {
				a = decoded(a)
			}
			out = out.Concat(a)
		}
	}
	if o.other {
		out = anything
	}
	switch {
	case o.variable != nil: // without a newline
		x.into(c, *o.variable, out)
		return c.done(either)
	case o.elsewhere:
		return c.done(either)
	case o.newline && !o.other:
		out = out.Concat(access.Text("\n"))
	}
	c.st.print(out)
	return c.done(yes)
}
