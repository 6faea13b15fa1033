package analyze

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// doGetopts is getopts: over known words it is followed, else OPTARG may be any
// of them.
func doGetopts(x *run, c *invocation) []*state {
	if len(c.argv) < 3 {
		return c.done(no)
	}
	st := c.st
	args, sure := st.args, st.argsOK
	if len(c.argv) > 3 {
		args, sure = x.spread(st, c.argv[3:])
	}
	spec, known := c.argv[1].Lit()
	name, named := c.argv[2].Lit()
	pos := x.get(st, "__getopts")
	state, _ := pos.Scalar.Lit()
	at, sub := 0, 1
	if i, j, ok := strings.Cut(state, ","); ok {
		at, _ = strconv.Atoi(i)
		sub, _ = strconv.Atoi(j)
	} else if v := x.get(st, "OPTIND"); v.State == word.Set {
		n, err := strconv.Atoi(litOf(v.Scalar))
		if err != nil {
			sure = false
		}
		at = max(n-1, 0)
	}
	set := func(n string, w access.Word) {
		x.give(st, n, word.Value{State: word.Set, Scalar: w}, c.argv[2])
	}
	if !known || !named || !sure || !allKnown(args) {
		if named {
			x.give(st, name, word.Value{State: word.Set, Scalar: access.Unknowable(access.Name, c.start, c.end)}, c.argv[2])
		} else {
			x.clobber(st)
		}
		st.setVar("OPTARG", word.Value{})
		st.setVar("OPTIND", word.Value{State: word.Set, Scalar: access.Number(c.start, c.end)})
		return c.done(either)
	}
	if at >= len(args) {
		set(name, access.Text("?"))
		return c.done(no)
	}
	lit, _ := args[at].Lit()
	if len(lit) < 2 || lit[0] != '-' || lit == "--" {
		if lit == "--" {
			at++
		}
		set(name, access.Text("?"))
		set("OPTIND", access.Text(strconv.Itoa(at+1)))
		return c.done(no)
	}
	letter := lit[sub : sub+1]
	sub++
	i := strings.Index(spec, letter)
	st.setVar("OPTARG", word.Value{State: word.Unset})
	switch {
	case i < 0 || letter == ":":
		set(name, access.Text("?"))
		if strings.HasPrefix(spec, ":") {
			set("OPTARG", access.Text(letter))
		}
	case i+1 < len(spec) && spec[i+1] == ':':
		set(name, access.Text(letter))
		switch {
		case sub < len(lit):
			set("OPTARG", args[at].From(sub))
		case at+1 < len(args):
			at++
			set("OPTARG", args[at])
		case strings.HasPrefix(spec, ":"):
			set(name, access.Text(":"))
			set("OPTARG", access.Text(letter))
		default:
			set(name, access.Text("?"))
		}
		sub = len(lit)
	default:
		set(name, access.Text(letter))
	}
	if cur, _ := args[min(at, len(args)-1)].Lit(); sub >= len(lit) || cur != lit {
		at, sub = at+1, 1
	}
	st.setVar("__getopts", word.Value{State: word.Set, Scalar: access.Text(strconv.Itoa(at) + "," + strconv.Itoa(sub))})
	set("OPTIND", access.Text(strconv.Itoa(at+1)))
	return c.done(yes)
}

func allKnown(ws []access.Word) bool {
	for _, w := range ws {
		if !w.Known() {
			return false
		}
	}
	return true
}
