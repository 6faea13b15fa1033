package analyze

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
	"extdir/daemon/analyze/zshform"
)

// zshTables are zsh's arrays that are the shell's own tables (zshmodules(1),
// zsh/parameter): an assignment to one defines a function, an alias, an option.
var zshTables = words("functions dis_functions aliases dis_aliases galiases dis_galiases saliases dis_saliases commands nameddirs options dirstack builtins dis_builtins")

// neededTables are those the guard reads.
var neededTables = words("functions aliases galiases options builtins")

// element is one entry that an assignment to a table sets.
type element struct {
	key   access.Word
	value access.Word
}

// table carries out an assignment to one of zsh's tables.
func (x *run) table(st *state, as *syntax.Assign, v word.Value) {
	start, end := int(as.Pos().Offset()), int(as.End().Offset())
	name := as.Name.Value
	x.line.Changes = true
	unknown := access.Unknowable(access.Any, start, end)
	if name == "dirstack" {
		st.stack, st.stackSet = nil, true
		if as.Index != nil || as.Append || v.List == nil {
			st.stackSet = false
			return
		}
		for i := range len(v.List) {
			st.stack = append(st.stack, v.List[i])
		}
		return
	}
	var list []element
	switch {
	case as.Index != nil:
		key := unknown
		if k, ok := x.key(&env{x: x, st: st}, as.Index); ok {
			key = access.Text(k)
		}
		list = append(list, element{key, v.Scalar})
	case v.List != nil:
		if !as.Append && neededTables[name] {
			x.tableHarm(st, start, end, "replaces "+name+", which the guard depends on")
		}
		for i := 0; i < len(v.List); i += 2 {
			list = append(list, element{v.List[i], v.List[i+1]})
		}
	default:
		list = append(list, element{unknown, unknown})
	}
	for _, e := range list {
		if e.value.End <= e.value.Start {
			e.value.Start, e.value.End = start, end
		}
		x.tableEntry(st, strings.TrimPrefix(name, "dis_"), e, start, end)
	}
}

// tableHarm reports a change of a table that the guard needs.
func (x *run) tableHarm(st *state, start, end int, why string) {
	if !st.apart && !st.child {
		x.onGuard(access.SelfDeny, start, end, why)
	}
}

// tableEntry sets one entry of a table.
func (x *run) tableEntry(st *state, table string, e element, start, end int) {
	key, known := e.key.Lit()
	switch table {
	case "functions":
		if !known {
			x.tableHarm(st, start, end, "defines a function whose name can't be determined")
			x.unknown("a function can't be determined", start, end)
			return
		}
		x.defines(st, key, start, end)
		x.functionText(st, key, e.value, start, end)
	case "aliases":
		if !known || !e.value.Known() {
			x.unknown("the alias can't be determined", start, end)
			return
		}
		x.defines(st, key, start, end)
		text, _ := e.value.Lit()
		st.setAlias(key, alias{text: text, src: x.src, line: 0})
	case "galiases", "saliases":
		x.unknown("an alias that works anywhere in a line isn't followed", start, end)
	case "commands":
		x.executes(st, e.value)
		if known {
			st.setFunc(key, function{opaque: true})
		}
	case "nameddirs":
		x.touch(st, st.cwd, target{word: e.value, kind: access.Read, why: "directory that nameddirs names"})
		if known {
			st.named = clone(st.named)
			st.named[key] = absolute(st.cwd, e.value)
		}
	case "options":
		on, sure := e.value.Lit()
		if !known || !sure {
			x.tableHarm(st, start, end, "changes an option that can't be determined")
			return
		}
		name, set := zshOption(key, on == "on")
		x.setOption(st, name, set, e.value)
	case "builtins":
		x.tableHarm(st, start, end, "changes which builtins there are")
	}
}

// functionText defines a function from text.
func (x *run) functionText(st *state, name string, text access.Word, start, end int) {
	lit, ok := text.Lit()
	if !ok || !x.b.Spend(guard.NestBytes, len(lit)) {
		st.setFunc(name, function{opaque: true})
		return
	}
	file, err := zshform.Parse(lit, true, x.b)
	if err != nil {
		st.setFunc(name, function{opaque: true})
		return
	}
	body := &syntax.Stmt{Cmd: &syntax.Block{Stmts: file.Stmts}}
	x.place(body, text, lit)
	st.setFunc(name, function{body: body})
	x.listedHook(st, name, function{body: body})
	if isHook(name) && x.runsHook(st, name) {
		x.later(st, function{body: body})
	}
}

// doFunctions is zsh's functions: -c copies, -u marks for loading, else it shows.
func doFunctions(x *run, c *invocation) []*state {
	var names []access.Word
	flags := ""
	for _, w := range c.argv[1:] {
		if lit, ok := w.Lit(); ok && len(lit) > 1 && (lit[0] == '-' || lit[0] == '+') {
			flags += lit[1:]
			continue
		}
		names = append(names, w)
	}
	switch {
	case strings.ContainsRune(flags, 'c') && len(names) == 2:
		x.line.Changes = true
		from, okFrom := names[0].Lit()
		to, okTo := names[1].Lit()
		if !okTo {
			x.tableHarm(c.st, c.start, c.end, "defines a function whose name can't be determined")
			return c.done(either)
		}
		x.defines(c.st, to, names[1].Start, names[1].End)
		f, ok := function{opaque: true}, false
		if okFrom {
			if f, ok = x.function(c.st, from, c); !ok {
				f = function{opaque: true}
			}
		}
		c.st.setFunc(to, f)
		x.listedHook(c.st, to, f)
		if isHook(to) && x.runsHook(c.st, to) {
			x.later(c.st, f)
		}
	case strings.ContainsRune(flags, 'u'):
		return doAutoload(x, c)
	default:
		c.st.print(access.Unknowable(access.Any, c.start, c.end))
	}
	return c.done(either)
}

// tableByName notes that one of zsh's tables is changed by a builtin, or by a
// default in an expansion, that was given its name: what it does isn't followed.
func (x *run) tableByName(st *state, name string, start, end int) bool {
	base, key, elem := strings.Cut(name, "[")
	if !st.zsh || !zshTables[base] {
		return false
	}
	if _, own := st.vars[base]; own {
		return false
	}
	x.line.Changes = true
	key = strings.TrimSuffix(key, "]")
	if neededTables[base] && (!elem || key == "" || guardedFunc(key) || guardWords[key] || guardBuiltins[key]) {
		x.tableHarm(st, start, end, "changes "+base+", which the guard depends on")
	}
	x.unknown("what is done to "+base+" isn't followed", start, end)
	return true
}
