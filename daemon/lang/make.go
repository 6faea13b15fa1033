package lang

import (
	"path"
	"strings"

	"extdir/daemon/access"
)

// makefile reads a makefile: its recipes, $(shell …), != and include lines (GNU
// make manual). Every recipe counts, whichever target is made, and every branch of
// a condition.
//
// Recipes are texts for a shell. What a variable of the makefile holds is put in
// as make does; one that nothing sets is the environment's, so the shell is given
// its name; what isn't followed is a variable that no shell knows.
type makefile struct {
	h    Host
	w    access.Word // the whole text, for spans
	vars map[string]string
	kept map[string]bool // overridden: the values that other lines give don't count
	// Of the rule at hand.
	auto map[string]string
	size int // bytes that expansions have made
}

// makeUnknown is the variable that stands in recipes for what isn't followed.
const makeUnknown = "${made_by_make-}"

// makeDefaults are variables that make sets itself. Flags for tools that nothing
// sets are taken for none.
var makeDefaults = map[string]string{
	"CC": "cc", "CXX": "g++", "CPP": "cc -E", "AR": "ar", "AS": "as", "LD": "ld", "FC": "f77", "RM": "rm -f", "MAKE": "make",
	"SHELL": "/bin/sh", "ARFLAGS": "rv", "CURDIR": "${PWD}", "MAKEFLAGS": "", "MAKECMDGOALS": "", "MAKELEVEL": "0", "MAKEFILE_LIST": "Makefile",
	"CFLAGS": "", "CXXFLAGS": "", "CPPFLAGS": "", "LDFLAGS": "", "LDLIBS": "", "ASFLAGS": "", "TARGET_ARCH": "", "GOFLAGS": "", "HOME": "${HOME}", ".DEFAULT_GOAL": "all",
}

func readMake(w access.Word, h Host) {
	text, ok := w.Lit()
	if !ok {
		h.Unknown("makefile that is not in the line")
		return
	}
	m := &makefile{h: h, w: w, vars: map[string]string{}, kept: map[string]bool{}}
	lines := strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")
	// A recipe sees what the whole file sets: variables first.
	m.each(lines, func(line string, recipe bool) {
		if !recipe {
			m.assignment(line)
		}
	})
	oneShell := false
	var whole strings.Builder
	m.each(lines, func(line string, recipe bool) {
		switch {
		case recipe && oneShell:
			whole.WriteString(m.recipeText(line) + "\n")
			return
		case recipe:
			m.recipe(line)
			return
		}
		if whole.Len() > 0 {
			m.shell(whole.String())
			whole.Reset()
		}
		oneShell = oneShell || strings.HasPrefix(line, ".ONESHELL")
		m.line(line)
	})
	if whole.Len() > 0 {
		m.shell(whole.String())
	}
	if shell := path.Base(strings.TrimSpace(m.expand(m.vars["SHELL"], 0))); shell != "." && !strings.HasSuffix(shell, "sh") {
		h.Unknown("recipes for " + shell)
	}
}

// each hands on the lines that count; those of recipes without their tab.
func (m *makefile) each(lines []string, f func(line string, recipe bool)) {
	inRule := false
	define := ""
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "\t"); ok && inRule {
			f(name, true)
			continue
		}
		trimmed := strings.TrimSpace(line)
		word, rest, _ := strings.Cut(trimmed, " ")
		switch {
		case define != "":
			if word == "endef" {
				define = ""
			}
			continue
		case trimmed == "" || trimmed[0] == '#':
			continue
		case word == "define":
			define = strings.TrimRight(strings.TrimSpace(rest), " :?+=")
			m.vars[define] = makeUnknown
			continue
		case word == "ifeq" || word == "ifneq" || word == "ifdef" || word == "ifndef" || word == "else" || word == "endif":
			m.shells(trimmed)
			continue
		}
		f(trimmed, false)
		if name, _, ok := makeAssignment(trimmed); ok && name != "" {
			continue
		}
		inRule = strings.Contains(trimmed, ":") || inRule && strings.HasPrefix(line, " ")
	}
}

// makeAssignment takes NAME = VALUE apart; op is what stands before the sign.
func makeAssignment(line string) (name, value string, ok bool) {
	for _, word := range []string{"export ", "override ", "private ", "unexport "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, word))
	}
	i := strings.IndexByte(line, '=')
	if i < 0 {
		return "", "", false
	}
	name = strings.TrimRight(line[:i], ":?+! \t")
	if name == "" || strings.ContainsAny(name, " \t:#") {
		return "", "", false
	}
	return name, strings.TrimSpace(line[i+1:]), true
}

// assignment notes the value of a variable. One with several values is unknown.
func (m *makefile) assignment(line string) {
	if target, rest, ok := strings.Cut(line, ":"); ok && !strings.ContainsAny(target, "=$") && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, ":=") {
		line = strings.TrimSpace(rest) // target: NAME = VALUE
	}
	name, value, ok := makeAssignment(line)
	if !ok {
		return
	}
	switch override := strings.HasPrefix(line, "override "); {
	case override && !m.kept[name]:
		m.kept[name], m.vars[name] = true, value
		return
	case m.kept[name]:
		return
	}
	value, _, _ = strings.Cut(value, " #")
	before := strings.TrimRight(line[:strings.IndexByte(line, '=')], " \t")
	old, had := m.vars[name]
	switch {
	case strings.HasSuffix(before, "!"):
		value = "$(shell " + value + ")"
	case strings.HasSuffix(before, "+"):
		if had {
			value = old + " " + value
		}
		if len(value) > maxProgram/4 {
			value = makeUnknown
		}
	case strings.HasSuffix(before, ":"): // at once: of itself what it was
		if had {
			value = strings.NewReplacer("$("+name+")", old, "${"+name+"}", old).Replace(value)
		}
	}
	if had && old != value && !strings.HasSuffix(before, "+") && !strings.HasSuffix(before, ":") {
		value = makeUnknown
	}
	m.vars[name] = value
}

// line reads an include, a rule, or $(shell …) anywhere.
func (m *makefile) line(line string) {
	m.shells(line)
	for _, word := range []string{"include ", "-include ", "sinclude "} {
		names, ok := strings.CutPrefix(line, word)
		if !ok {
			continue
		}
		for name := range strings.FieldsSeq(m.expand(names, 0)) {
			if strings.Contains(name, "$") {
				m.h.Unknown("include of a makefile that is computed")
				continue
			}
			include(m.h, spannedText(name, m.w), "include of a makefile")
		}
		return
	}
	if name, value, ok := makeAssignment(line); ok {
		if strings.HasSuffix(strings.TrimRight(line[:strings.IndexByte(line, '=')], " \t"), "!") && name != "" {
			m.recipe(value)
		}
		return
	}
	targets, rest, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	prerequisites, recipe, hasRecipe := strings.Cut(strings.TrimPrefix(rest, ":"), ";")
	m.rule(m.expand(targets, 0), m.expand(prerequisites, 0))
	if hasRecipe {
		m.recipe(recipe)
	}
}

// rule notes what the automatic variables of a recipe are. For the % of a pattern
// any name will do.
func (m *makefile) rule(targets, prerequisites string) {
	stem := func(s string) string { return strings.ReplaceAll(s, "%", "stem") }
	names := strings.Fields(stem(prerequisites))
	m.auto = map[string]string{"*": "stem", "^": strings.Join(names, " "), "+": strings.Join(names, " "), "?": strings.Join(names, " "), "<": "", "@": makeUnknown, "|": ""}
	if len(names) > 0 {
		m.auto["<"] = names[0]
	}
	if all := strings.Fields(stem(targets)); len(all) == 1 {
		m.auto["@"] = all[0]
	}
}

func (m *makefile) recipe(line string) { m.shell(m.recipeText(line)) }

func (m *makefile) recipeText(line string) string {
	return strings.TrimLeft(m.expand(strings.TrimLeft(line, " \t@-+"), 0), " \t@-+")
}

func (m *makefile) shell(text string) {
	if strings.TrimSpace(text) != "" {
		m.h.Shell(spannedText(text, m.w))
	}
}

// shells runs the $(shell …) of a line that is no recipe.
func (m *makefile) shells(line string) {
	for rest := line; ; {
		i := strings.Index(rest, "(shell ")
		if i < 0 {
			i = strings.Index(rest, "{shell ")
		}
		if i < 0 {
			return
		}
		n := makeReference(rest[i:])
		if n > len("(shell ") {
			m.shell(m.expand(rest[i+len("(shell "):i+n-1], 0))
		}
		rest = rest[i+len("(shell "):]
	}
}

// maxMade bounds what all expansions of a makefile make.
const maxMade = 256 << 10

// expand puts in the variables and functions of a text: $$ is $.
func (m *makefile) expand(s string, depth int) string {
	if !strings.Contains(s, "$") {
		return s
	}
	if m.size += 16; depth > 12 || m.size > maxMade {
		return makeUnknown
	}
	var out strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '$')
		if i < 0 || i+1 == len(s) {
			out.WriteString(s)
			break
		}
		out.WriteString(s[:i])
		s = s[i+1:]
		if s[0] == '$' {
			out.WriteByte('$')
			s = s[1:]
			continue
		}
		n := makeReference(s)
		if n < 2 {
			out.WriteString(m.variable(s[:1], depth))
			s = s[1:]
			continue
		}
		out.WriteString(m.reference(s[1:n-1], depth))
		s = s[n:]
		if m.size += out.Len(); m.size > maxMade {
			return makeUnknown
		}
	}
	return out.String()
}

// reference is what stands for $(…).
func (m *makefile) reference(s string, depth int) string {
	name, args, call := strings.Cut(s, " ")
	if !call || !makeFunctions[name] {
		if base, subst, ok := strings.Cut(s, ":"); ok && strings.Contains(subst, "=") {
			from, to, _ := strings.Cut(subst, "=")
			value := m.variable(base, depth)
			if strings.ContainsAny(value+from+to, "$%*") {
				return makeUnknown
			}
			return eachName(value, func(n string) string {
				if stem, ok := strings.CutSuffix(n, from); ok {
					return stem + to
				}
				return n
			})
		}
		if strings.Contains(s, "$") {
			return makeUnknown
		}
		return m.variable(s, depth)
	}
	if name == "shell" {
		return "$(" + m.expand(args, depth+1) + ")"
	}
	args = strings.TrimSpace(m.expand(args, depth+1))
	first, rest, two := strings.Cut(args, ",")
	if strings.Contains(args, "$") && name != "strip" && name != "sort" && name != "info" && name != "warning" && name != "error" {
		return makeUnknown
	}
	switch name {
	case "info", "warning", "error":
		return ""
	case "strip", "sort", "wildcard", "abspath", "realpath":
		return args // the same names, or what a pattern matches
	case "notdir":
		return eachName(args, path.Base)
	case "dir":
		return eachName(args, func(n string) string { return path.Dir(n) + "/" })
	case "basename":
		return eachName(args, func(n string) string { return strings.TrimSuffix(n, path.Ext(n)) })
	case "addprefix":
		return eachName(rest, func(n string) string { return first + n })
	case "addsuffix":
		return eachName(rest, func(n string) string { return n + first })
	case "subst", "patsubst":
		to, text, three := strings.Cut(rest, ",")
		if !two || !three {
			return makeUnknown
		}
		if name == "subst" {
			return strings.ReplaceAll(text, first, to)
		}
		before, after, pattern := strings.Cut(first, "%")
		return eachName(text, func(n string) string {
			if !pattern || !strings.HasPrefix(n, before) || !strings.HasSuffix(n, after) || len(n) < len(before)+len(after) {
				return n
			}
			return strings.Replace(to, "%", n[len(before):len(n)-len(after)], 1)
		})
	}
	return makeUnknown
}

var makeFunctions = words(`shell info warning error strip sort wildcard abspath realpath notdir dir basename addprefix addsuffix
	subst patsubst filter filter-out findstring word wordlist words firstword lastword suffix join foreach if or and call value eval origin flavor file let intcmp guile`)

func eachName(s string, f func(string) string) string {
	names := strings.Fields(s)
	for i, n := range names {
		names[i] = f(n)
	}
	return strings.Join(names, " ")
}

// variable is what stands for a variable: its value, or the environment's.
func (m *makefile) variable(name string, depth int) string {
	if len(name) == 2 && (name[1] == 'D' || name[1] == 'F') {
		if v, ok := m.auto[name[:1]]; ok && !strings.Contains(v, "$") {
			if name[1] == 'D' {
				return eachName(v, path.Dir)
			}
			return eachName(v, path.Base)
		}
	}
	if v, ok := m.auto[name]; ok {
		return v
	}
	if v, ok := m.vars[name]; ok {
		if v == makeUnknown {
			return v
		}
		return m.expand(v, depth+1)
	}
	if v, ok := makeDefaults[name]; ok {
		return v
	}
	for i := range len(name) {
		if !wordByte(name[i]) {
			return makeUnknown
		}
	}
	if name == "" || name[0] <= '9' {
		return makeUnknown
	}
	return "${" + name + "-}"
}

// makeReference is the length of (…) or {…} at the beginning of s.
func makeReference(s string) int {
	if s == "" || s[0] != '(' && s[0] != '{' {
		return 0
	}
	open, shut, depth := s[0], byte(')'), 0
	if open == '{' {
		shut = '}'
	}
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
