package word

import (
	"fmt"
	"maps"
	"os/user"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
)

// bench is a small shell for the tests: it knows assignments, set, shopt, unset,
// export, readonly and declare, and runs echo and printf in substitutions.
type bench struct {
	zsh     bool
	vars    map[string]Value
	args    []access.Word
	options map[string]bool
	steps   int
	evals   []string
	choice  []int // the reading at hand; the odometer of Choose
	sizes   []int
	chosen  int
}

func newBench(zsh bool) *bench {
	b := &bench{zsh: zsh, steps: guard.Max(guard.Steps), options: map[string]bool{"braceexpand": true}}
	set := func(s string) Value { return Value{State: Set, Scalar: access.Text(s)} }
	b.vars = map[string]Value{
		"HOME": {State: Set, Scalar: access.Text("/home/me"), Exported: true},
		"PWD":  {State: Set, Scalar: access.Text("/"), Exported: true}, "OLDPWD": set("/old"),
		"0": set("sh"), "inside": {State: Set, Scalar: access.Unknowable(access.Inside, 0, 0)},
	}
	return b
}

func (b *bench) Get(name string) Value {
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		if n <= len(b.args) {
			return Value{State: Set, Scalar: b.args[n-1]}
		}
		return Value{State: Unset}
	}
	if name == "#" {
		return Value{State: Set, Scalar: access.Text(strconv.Itoa(len(b.args)))}
	}
	if strings.HasPrefix(name, "unknown") {
		if _, ok := b.vars[name]; !ok {
			return Value{}
		}
	}
	v, ok := b.vars[name]
	if !ok {
		return Value{State: Unset}
	}
	return v
}

func (b *bench) Set(name string, v Value) { b.vars[name] = v }

func (b *bench) Names(prefix string) ([]string, bool) {
	var names []string
	for n, v := range b.vars {
		if strings.HasPrefix(n, prefix) && v.State == Set {
			names = append(names, n)
		}
	}
	return names, prefix != "unknown"
}

func (b *bench) Args() ([]access.Word, bool) {
	return slices.Clone(b.args), b.vars["@"].State != Set
}

func (b *bench) Subst(s *syntax.CmdSubst) access.Word {
	var out []access.Word
	for _, st := range s.Stmts {
		call, ok := st.Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "echo" {
			return access.Unknowable(access.Any, start(s), end(s))
		}
		f, stop := Fields(b, call.Args[1:]...)
		if stop {
			return access.Word{}
		}
		out = append(out, f...)
	}
	var w access.Word
	for i, f := range out {
		if i > 0 {
			w = w.Concat(access.Text(" "))
		}
		w = w.Concat(f)
	}
	if n := len(w.Segs); n > 0 {
		w.Segs = slices.Clone(w.Segs)
		w.Segs[n-1].Text = strings.TrimRight(w.Segs[n-1].Text, "\n")
	}
	return w
}

func (b *bench) Proc(p *syntax.ProcSubst) access.Word {
	return access.Text("/dev/fd/").Concat(access.Unknowable(access.Name, start(p), end(p)))
}

func (b *bench) Eval(text access.Word, _, _ int) { b.evals = append(b.evals, text.String()) }

func (b *bench) Home(name string) (string, bool) {
	if name == "" {
		return "/home/me", true
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "", false
	}
	return u.HomeDir, true
}

func (b *bench) Dirs() []access.Word     { return []access.Word{access.Text("/")} }
func (b *bench) Option(name string) bool { return b.options[name] }
func (b *bench) Zsh() bool               { return b.zsh }
func (b *bench) Spend(n int) bool        { b.steps -= n; return b.steps >= 0 }

func (b *bench) Choose(n int) int {
	if b.chosen == len(b.choice) {
		b.choice, b.sizes = append(b.choice, 0), append(b.sizes, n)
	}
	b.chosen++
	return b.choice[b.chosen-1]
}

// next turns the odometer to the next reading.
func (b *bench) next() bool {
	b.chosen = 0
	for len(b.choice) > 0 {
		i := len(b.choice) - 1
		if b.choice[i]++; b.choice[i] < b.sizes[i] {
			return true
		}
		b.choice, b.sizes = b.choice[:i], b.sizes[:i]
	}
	return false
}

// run runs the setup of a case.
func (b *bench) run(text string) error {
	f, err := guard.Parse(text, b.zsh, nil)
	if err != nil {
		return err
	}
	for _, s := range f.Stmts {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			for _, a := range c.Assigns {
				b.assign(a, Value{})
			}
			if len(c.Args) > 0 {
				args, _ := Fields(b, c.Args...)
				b.builtin(args)
			}
		case *syntax.DeclClause:
			v := Value{Exported: c.Variant.Value == "export", ReadOnly: c.Variant.Value == "readonly"}
			for _, a := range c.Args {
				if a.Name == nil {
					switch flag := a.Value.Lit(); flag {
					case "-A":
						v.Map = map[string]access.Word{}
					case "-a":
						v.List = map[int]access.Word{}
					case "-n":
						v.Ref = true
					case "-x":
						v.Exported = true
					case "-r":
						v.ReadOnly = true
					}
					continue
				}
				b.assign(a, v)
			}
		default:
			return fmt.Errorf("setup %q isn't known", text)
		}
	}
	return nil
}

func (b *bench) builtin(args []access.Word) {
	words := make([]string, len(args))
	for i, a := range args {
		words[i], _ = a.Lit()
	}
	on := len(words) > 1 && words[1] == "-s"
	switch words[0] {
	case "set":
		switch {
		case words[1] == "--":
			b.args = args[2:]
		case words[1] == "-f":
			b.options["noglob"] = true
		case words[1] == "-u":
			b.options["nounset"] = true
		default:
			panic("set " + words[1])
		}
	case "shopt":
		b.options[words[2]] = on
	case "setopt":
		for _, o := range words[1:] {
			b.options[strings.ReplaceAll(strings.ToLower(o), "_", "")] = true
		}
	case "unset":
		for _, n := range words[1:] {
			delete(b.vars, n)
		}
	default:
		panic("setup: " + words[0])
	}
}

func (b *bench) assign(a *syntax.Assign, v Value) {
	v.State = Set
	old := b.vars[a.Name.Value]
	switch {
	case a.Array != nil:
		list, next := map[int]access.Word{}, 0
		if b.zsh {
			next = 1
		}
		for _, el := range a.Array.Elems {
			if v.Map != nil {
				key, _ := newExpander(b).key(el.Index)
				w, _ := Assign(b, el.Value)
				v.Map[key] = w
				continue
			}
			if el.Index != nil {
				w, _ := Arith(b, el.Index)
				s, _ := w.Lit()
				next, _ = strconv.Atoi(s)
				w, _ = Assign(b, el.Value)
				list[next] = w
				next++
				continue
			}
			f, _ := Fields(b, el.Value)
			for _, w := range f {
				list[next] = w
				next++
			}
		}
		if v.Map == nil {
			v.List, v.Scalar = list, list[0]
		}
	case a.Index != nil:
		w, _ := Arith(b, a.Index)
		s, _ := w.Lit()
		n, _ := strconv.Atoi(s)
		v.List = maps.Clone(old.List)
		if v.List == nil {
			v.List = map[int]access.Word{}
		}
		v.List[n], _ = Assign(b, a.Value)
	case a.Value != nil:
		v.Scalar, _ = Assign(b, a.Value)
	case a.Naked:
		if v.Map == nil && v.List == nil {
			v.Scalar, v.List, v.Map = old.Scalar, old.List, old.Map
			v.State = old.State
		}
	}
	b.vars[a.Name.Value] = v
}
