package command

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"extdir/daemon/access"
)

// A parser reads spec files into a table. The language is described in docs/specs.md.
type parser struct {
	file *File
	line int // being read, from 1
	t    *Table
	// commands are the names that were described, in their order.
	commands []commandName
	// bare leaves examples out.
	bare bool

	// Lists that the next line fills again, and options of specs that are read.
	buffer fields
	list   []string
	spare  []options
}

type commandName struct {
	name string
	spec *spec
}

// SpecError is a mistake in a spec file.
type SpecError struct {
	File      string
	Line, Col int
	What      string // what is wrong, what to do
}

func (e *SpecError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.What)
}

// read reads a spec file.
func (p *parser) read(file *File) error {
	p.file, p.line = file, 0
	type level struct {
		indent int
		spec   *spec
	}
	var stack []level
	open := func(indent int, s *spec) {
		p.open(s)
		stack = append(stack, level{indent, s})
	}
	closeTo := func(indent int) {
		for len(stack) > 0 && indent <= stack[len(stack)-1].indent {
			p.close(stack[len(stack)-1].spec)
			stack = stack[:len(stack)-1]
		}
	}
	for raw := range strings.SplitSeq(file.Text, "\n") {
		p.line++
		raw = strings.TrimRight(raw, " \r")
		text := strings.TrimLeft(raw, " ")
		indent := len(raw) - len(text)
		switch {
		case text == "" || text[0] == '#':
			continue
		case text[0] == '\t':
			return p.errorf(1, "a tab indents the line, use blanks")
		}
		closeTo(indent)
		if p.bare && len(stack) > 0 && strings.HasPrefix(text, "try ") {
			continue
		}
		f := p.fields(raw)
		if indent == 0 {
			if f.words[0] == "variable" {
				if err := p.variable(f); err != nil {
					return err
				}
				continue
			}
			s, err := p.command(f)
			if err != nil {
				return err
			}
			open(0, s)
			continue
		}
		if len(stack) == 0 {
			return p.errorf(f.col(0), "the line belongs to no command, begin one at the left margin")
		}
		top := stack[len(stack)-1].spec
		if f.words[0] == "sub" {
			s, err := p.sub(top, f)
			if err != nil {
				return err
			}
			open(indent, s)
			continue
		}
		if err := p.describe(top, f, raw); err != nil {
			return err
		}
	}
	closeTo(0)
	return nil
}

// open gives a spec room for its options.
func (p *parser) open(s *spec) {
	if last := len(p.spare) - 1; last >= 0 && s.opts == nil {
		s.opts, p.spare = p.spare[last], p.spare[:last]
	}
}

// close leaves a spec no more room than its options need.
func (p *parser) close(s *spec) {
	p.spare = append(p.spare, s.opts[:0])
	s.opts = append(options(nil), s.opts...)
}

func (p *parser) errorf(col int, format string, args ...any) error {
	return &SpecError{p.file.Name, p.line, col, fmt.Sprintf(format, args...)}
}

// fields is a line cut at blanks. A blank inside (…), <…> or […] doesn't cut.
type fields struct {
	words []string
	cols  []int // in characters, from 1
}

func (f fields) col(i int) int {
	if i < len(f.cols) {
		return f.cols[i]
	}
	if len(f.cols) == 0 {
		return 1
	}
	last := len(f.cols) - 1
	return f.cols[last] + utf8.RuneCountInString(f.words[last])
}

func (f fields) from(i int) fields {
	return fields{f.words[i:], f.cols[i:]}
}

func (f fields) text(i int) string { return strings.Join(f.words[i:], " ") }

func (p *parser) fields(raw string) fields {
	f := fields{p.buffer.words[:0], p.buffer.cols[:0]}
	depth, start, col, startCol := 0, -1, 0, 0
	flush := func(end int) {
		if start >= 0 {
			f.words, f.cols = append(f.words, raw[start:end]), append(f.cols, startCol)
			start = -1
		}
	}
read:
	for i, r := range raw {
		col++
		switch {
		case r == '#' && start < 0 && depth == 0:
			// "=>" may be followed by anything in a try line, but no word of
			// the language begins with #.
			break read
		case r == ' ' && depth == 0:
			flush(i)
			continue
		case r == '(' || r == '<' && start < 0 || r == '[' && start < 0:
			depth++
		case (r == ')' || r == '>' || r == ']') && depth > 0:
			depth--
		}
		if start < 0 {
			start, startCol = i, col
		}
	}
	flush(len(raw))
	p.buffer = f
	return f
}

// names reads a list "a, b, c" that must be all of the words.
func (p *parser) names(f fields) ([]string, error) {
	out := p.list[:0]
	for i, w := range f.words {
		name, comma := strings.CutSuffix(w, ",")
		if name == "" {
			return nil, p.errorf(f.col(i), "a name is missing before the comma")
		}
		if !comma && i < len(f.words)-1 {
			return nil, p.errorf(f.col(i+1), "%q follows without a comma, separate names by commas", f.words[i+1])
		}
		if comma && i == len(f.words)-1 {
			return nil, p.errorf(f.col(i), "a name is missing after the comma")
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil, p.errorf(f.col(0), "a name is missing")
	}
	p.list = out
	return out, nil
}

func (p *parser) newSpec(operandOf string) *spec {
	return &spec{operandOf: operandOf, place: p.place()}
}

func (p *parser) place() place { return place{p.file, p.line} }

func (p *parser) command(f fields) (*spec, error) {
	names, err := p.names(f)
	if err != nil {
		return nil, err
	}
	s := p.newSpec(operandOf + names[0])
	for i, n := range names {
		if strings.ContainsAny(n, "<>()=/") {
			return nil, p.errorf(f.col(i), "%q is no command name", n)
		}
		if old := p.t.specs[n]; old != nil {
			return nil, p.errorf(f.col(i), "%s is described twice, first at %s; keep one of them", n, old.place)
		}
		p.t.specs[n] = s
		p.commands = append(p.commands, commandName{n, s})
	}
	return s, nil
}

// sub opens a subcommand. A name may be several words ("remote add").
func (p *parser) sub(parent *spec, f fields) (*spec, error) {
	list := strings.Split(f.text(1), ",")
	var s *spec
	for _, item := range list {
		words := strings.Fields(item)
		if len(words) == 0 {
			return nil, p.errorf(f.col(1), "sub needs the name of a subcommand")
		}
		at := parent
		for _, w := range words[:len(words)-1] {
			next := at.subs[w]
			if next == nil {
				next = p.newSpec(at.operandOf + " " + w)
				next.made = true
				at.setSub(w, next)
			}
			at = next
		}
		last := words[len(words)-1]
		if old := at.subs[last]; old != nil {
			if old.made && len(list) == 1 {
				old.made = false
				return old, nil
			}
			if old.made && s != nil {
				old.made, old.from = false, s
				continue
			}
			return nil, p.errorf(f.col(1), "subcommand %s is described twice, first at %s", last, old.place)
		}
		if s == nil {
			s = p.newSpec(at.operandOf + " " + last)
		}
		at.setSub(last, s)
	}
	return s, nil
}

func (s *spec) setSub(name string, sub *spec) {
	if s.subs == nil {
		s.subs = map[string]*spec{}
	}
	s.subs[name] = sub
}

func (p *parser) variable(f fields) error {
	i := 1
	var names []string
	for ; i < len(f.words) && f.words[i][0] != '<'; i++ {
		names = append(names, strings.TrimSuffix(f.words[i], ","))
	}
	if len(names) == 0 || i != len(f.words)-1 {
		return p.errorf(f.col(i), "write variable NAME, NAME <kind>")
	}
	v, err := p.slot(f.words[i], f.col(i))
	if err != nil {
		return err
	}
	for _, n := range names {
		p.t.vars[n] = v.kind
	}
	return nil
}

// describe reads a line inside a command.
func (p *parser) describe(s *spec, f fields, raw string) error {
	switch f.words[0] {
	case "usage":
		u, err := p.usage(f.from(1))
		if err != nil {
			return err
		}
		if s.usage != nil {
			return p.errorf(f.col(0), "%s has a second usage, write it as when OPTION: usage …", s.name())
		}
		s.usage = u
		return nil
	case "when":
		return p.when(s, f)
	case "parse":
		names, err := p.names(f.from(1))
		if err != nil {
			return err
		}
		for i, n := range names {
			m, ok := parseModes[n]
			if !ok {
				return p.errorf(f.col(i+1), "parse knows no %q, use %s", n, offer(n, sortedKeys(parseModes)))
			}
			s.parse |= m
		}
		return nil
	case "unknown":
		switch f.text(1) {
		case "text":
			s.unknown = unknownText
		case "path":
			s.unknown = unknownGuess
		default:
			return p.errorf(f.col(1), "write unknown text or unknown path")
		}
		return nil
	case "like":
		if len(f.words) != 2 || len(strings.Fields(strings.ReplaceAll(f.words[1], "/", " "))) == 0 {
			return p.errorf(f.col(1), "like needs the name of one command")
		}
		s.like = &like{at{p.place(), f.col(1)}, f.words[1]}
		return nil
	case "also":
		for i, w := range f.words[1:] {
			switch strings.TrimSuffix(w, ",") {
			case "version":
				s.also |= alsoVersion
			case "triplet":
				s.also |= alsoTriplet
			default:
				return p.errorf(f.col(i+1), "also knows no %q, use version or triplet", w)
			}
		}
		if s.also == 0 || strings.Contains(s.name(), " ") {
			return p.errorf(f.col(0), "write also version, triplet below a command")
		}
		return nil
	case "extend", "final":
		if len(f.words) > 1 {
			return p.errorf(f.col(1), "%s stands alone on its line", f.words[0])
		}
		if strings.Contains(s.name(), " ") {
			return p.errorf(f.col(0), "%s holds of a whole command, write it below %s itself", f.words[0], strings.Fields(s.name())[0])
		}
		if f.words[0] == "final" {
			s.final = true
		} else {
			s.extends = true
		}
		return nil
	case "stdin":
		k, err := p.oneKind(f, 1)
		s.stdin = k
		return err
	case "self", "unjudged", "writes", "loads":
		e, err := p.effect(f)
		s.effects = append(s.effects, e)
		return err
	case "then":
		if len(f.words) == 1 {
			return p.errorf(f.col(1), "write then NAME is written, or what else holds of it")
		}
		e, err := p.effect(f.from(1))
		s.effects = append(s.effects, e)
		return err
	case "try":
		return p.try(f, raw)
	case "on":
		if len(f.words) < 3 || f.words[1] != "linux" && f.words[1] != "darwin" {
			return p.errorf(f.col(1), "write on linux OPTION or on darwin OPTION")
		}
		return p.option(s, f.from(2), f.words[1])
	}
	if c := f.words[0][0]; c != '-' && c != '@' && c != '+' && !strings.HasSuffix(strings.TrimSuffix(f.words[0], ","), "=") && s.parse&(parseFind|parseKeyval) == 0 {
		return p.errorf(f.col(0), "%q begins no line, use %s", f.words[0], offer(f.words[0], lineWords))
	}
	return p.option(s, f, "")
}

func (p *parser) oneKind(f fields, i int) (*kind, error) {
	if i != len(f.words)-1 {
		return nil, p.errorf(f.col(i), "write one <kind>")
	}
	k, err := p.kind(strings.Trim(f.words[i], "<>"), f.col(i))
	return &k, err
}

func (p *parser) usage(f fields) (*usage, error) {
	out := &usage{place: p.place()}
	if len(f.words) > 0 {
		out.slots = make([]slot, 0, len(f.words))
	}
	many := -1
	for i, w := range f.words {
		v, err := p.slot(w, f.col(i))
		if err != nil {
			return nil, err
		}
		if v.many {
			if many >= 0 {
				return nil, p.errorf(f.col(i), "two operands repeat, only one can")
			}
			many = i
		}
		out.slots = append(out.slots, v)
	}
	return out, nil
}

// when reads "when -a, -b and no -c: ACTION".
func (p *parser) when(s *spec, f fields) error {
	var w when
	c := condition{}
	i := 1
	for ; ; i++ {
		if i >= len(f.words) {
			return p.errorf(f.col(i), "the condition has no end, write when OPTION: usage …")
		}
		word := f.words[i]
		if word == "and" {
			w.all, c = append(w.all, c), condition{}
			continue
		}
		if len(c.names) == 0 && word == "no" {
			c.not = true
			continue
		}
		if len(c.names) == 0 && word == "shell" {
			c.shell = true
			continue
		}
		if len(c.names) == 0 && word == "unseen" {
			c.unseen = true
			continue
		}
		name, end := strings.CutSuffix(word, ":")
		name = strings.TrimSuffix(name, ",")
		if name == "" {
			return p.errorf(f.col(i), "the condition names nothing")
		}
		c.names = append(c.names, name)
		if name[0] == '-' {
			if len(s.opts.all(name)) == 0 {
				s.opts.add(name, &option{place: p.place()})
			}
		}
		if end {
			break
		}
	}
	w.all = append(w.all, c)
	end := f.col(i + 1)
	f = f.from(i + 1)
	if len(f.words) == 0 {
		return p.errorf(end, "the condition decides nothing, write usage … after the colon")
	}
	var err error
	switch f.words[0] {
	case "usage":
		w.usage, err = p.usage(f.from(1))
	case "stdin":
		w.stdin, err = p.oneKind(f, 1)
	default:
		var e effect
		e, err = p.effect(f)
		w.effects = append(w.effects, e)
	}
	s.whens = append(s.whens, w)
	return err
}

// effect reads "NAME is written", "self ask WHY", "unjudged WHY".
func (p *parser) effect(f fields) (effect, error) {
	switch {
	case f.words[0] == "self" && len(f.words) > 2 && (f.words[1] == "ask" || f.words[1] == "deny"):
		level := access.SelfAsk
		if f.words[1] == "deny" {
			level = access.SelfDeny
		}
		return effect{verb: "self", self: level, why: f.text(2)}, nil
	case f.words[0] == "writes" && len(f.words) == 2 && (f.words[1] == newTemporary || f.words[1] == "." || f.words[1][0] == '/' || strings.HasPrefix(f.words[1], "~/")):
		return effect{verb: "writes", why: f.words[1]}, nil
	case f.words[0] == "loads" && len(f.words) == 3:
		v, err := p.slot(f.words[2], f.col(2))
		if err == nil && v.kind.elem == nil {
			err = p.errorf(f.col(2), "say what stands in the file, as in <file(code(make))>")
		}
		return effect{verb: "loads", why: f.words[1], kind: v.kind}, err
	case f.words[0] == "unjudged" && len(f.words) > 1:
		return effect{verb: "unjudged", why: f.text(1)}, nil
	case len(f.words) == 3 && f.words[1] == "is":
		switch f.words[2] {
		case "written", "read", "run", "tree", "followed", "itself", "replaced":
			return effect{verb: f.words[2], slot: f.words[0]}, nil
		}
		return effect{}, p.errorf(f.col(2), "an operand is written, read, run, tree, followed, itself or replaced, not %q", f.words[2])
	}
	return effect{}, p.errorf(f.col(0), "write NAME is written, writes PATH, loads PATH <kind>, self ask WHY, self deny WHY or unjudged WHY")
}

// option reads "-a, --all <kind>  gives NAME; then NAME is written".
func (p *parser) option(s *spec, f fields, os string) error {
	o := &option{os: os, place: p.place()}
	names := p.list[:0]
	i := 0
	for ; i < len(f.words) && f.words[i][0] != '<' && f.words[i][0] != '['; i++ {
		w := f.words[i]
		if i > 0 && !strings.HasSuffix(f.words[i-1], ",") {
			break
		}
		names = append(names, strings.TrimSuffix(w, ","))
	}
	for ; i < len(f.words) && (f.words[i][0] == '<' || f.words[i][0] == '['); i++ {
		w := f.words[i]
		switch {
		case strings.HasPrefix(w, "[="):
			o.arity = arityAttached
			w = "[" + w[2:]
		case w[0] == '[':
			o.arity = arityUnsure
		}
		v, err := p.slot(w, f.col(i))
		if err != nil {
			return err
		}
		if (o.arity != arityFixed) && len(o.vals) > 0 {
			return p.errorf(f.col(i), "an option with an optional value takes one value")
		}
		o.vals = append(o.vals, v)
	}
	for i < len(f.words) {
		end := i
		for end < len(f.words) && !strings.HasSuffix(f.words[end], ";") {
			end++
		}
		if end < len(f.words) {
			end++
		}
		c := fields{f.words[i:end], f.cols[i:end]}
		last := len(c.words) - 1
		c.words[last] = strings.TrimSuffix(c.words[last], ";")
		switch text := c.text(0); {
		case c.words[0] == "gives" && len(c.words) == 2:
			o.gives = c.words[1]
		case text == "chdir" && len(o.vals) > 0:
			o.chdir = chdirAll
		case text == "chdir from here" && len(o.vals) > 0:
			o.chdir = chdirHere
		case text == "from start" && len(o.vals) > 0:
			o.start = true
		case text == "or empty" && o.arity == arityAttached:
			o.arity = arityEmpty
		case c.words[0] == "then" && len(c.words) > 1, c.words[0] == "self", c.words[0] == "unjudged", c.words[0] == "writes", c.words[0] == "loads":
			if c.words[0] == "then" {
				c = c.from(1)
			}
			e, err := p.effect(c)
			if err != nil {
				return err
			}
			o.effects = append(o.effects, e)
		default:
			return p.errorf(c.col(0), "%q says nothing about an option, use gives NAME, chdir, chdir from here, from start, or empty, then NAME is written, writes PATH, self … or unjudged …", text)
		}
		i = end
	}
	p.list = names
	for _, n := range names {
		if n == "" || strings.ContainsAny(n, "<>[]()") || len(n) > 2 && strings.HasPrefix(n, "--") && strings.Contains(n, "=") {
			return p.errorf(f.col(0), "%q is no option name", n)
		}
		if !s.opts.add(n, o) {
			return p.errorf(f.col(0), "option %s is described twice, merge the two lines", n)
		}
	}
	return nil
}

func (p *parser) try(f fields, raw string) error {
	_, rest, _ := strings.Cut(raw, "try ")
	line, want, ok := strings.Cut(rest, "=>")
	// A program text may hold "=>" too: the last one counts.
	if i := strings.LastIndex(rest, "=>"); ok {
		line, want = rest[:i], rest[i+2:]
	}
	if !ok {
		return p.errorf(f.col(0), "the example has no =>, write try LINE => r:/path w:/path")
	}
	t := try{at: at{p.place(), f.col(0)}, line: strings.ReplaceAll(strings.TrimSpace(line), `\n`, "\n")}
	for _, w := range strings.Fields(want) {
		switch k, _, ok := strings.Cut(w, ":"); {
		case w == "?", ok && (k == "r" || k == "w" || k == "x" || k == "self"):
			t.want = append(t.want, w)
		default:
			return p.errorf(f.col(0), "%q is no expectation, write r:PATH, w:PATH, x:PATH, self:ask, self:deny or ?", w)
		}
	}
	p.t.tries = append(p.t.tries, t)
	return nil
}
