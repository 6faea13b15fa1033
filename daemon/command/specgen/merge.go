package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
)

// node is a command or subcommand as the extracted facts have it.
type node struct {
	Alias string            `json:"@,omitempty"`
	From  string            `json:"b,omitempty"` // the sources that know the command
	Stop  int               `json:"stop,omitempty"`
	Long1 int               `json:"long1,omitempty"`
	Opts  map[string]string `json:"o,omitempty"`
	Args  []string          `json:"p,omitempty"`
	Glob  []string          `json:"g,omitempty"` // options that subcommands have too
	Rest  string            `json:"dd,omitempty"`
	Subs  map[string]*node  `json:"s,omitempty"`
}

type facts map[string]*node

func read(file string) (facts, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var f facts
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return f, nil
}

func (f facts) get(name string) *node {
	n := f[name]
	if n != nil && n.Alias != "" {
		n = f[n.Alias]
	}
	return n
}

func (n *node) sub(name string) *node {
	if n == nil {
		return nil
	}
	s := n.Subs[name]
	if s != nil && s.Alias != "" {
		s = n.Subs[s.Alias]
	}
	return s
}

// Names of commands; the collections also hold titles of completion functions.
var command = regexp.MustCompile(`^[A-Za-z0-9_.\[][A-Za-z0-9_.+\[-]*$`)

// Names of options; the rest are key=value operands, which are guessed anyway.
var option = regexp.MustCompile(`^[-+][^\s=]+$`)

// merge writes the merged facts with the number of sources behind each option
// that two of them agree on.
func merge(factsFile, figFile, zshFile string) ([]byte, error) {
	all, err := read(factsFile)
	if err != nil {
		return nil, err
	}
	fig, err := read(figFile)
	if err != nil {
		return nil, err
	}
	zsh, err := read(zshFile)
	if err != nil {
		return nil, err
	}
	fixes, err := readFixes("fixes.txt")
	if err != nil {
		return nil, err
	}
	out := facts{}
	for name, n := range all {
		if !command.MatchString(name) {
			continue
		}
		if n.Alias == "" {
			count(n, fig.get(name), zsh.get(name))
		}
		out[name] = n
	}
	for name, n := range out { // aliases of what was left out
		if n.Alias != "" && (out[n.Alias] == nil || out[n.Alias].Alias != "") {
			delete(out, name)
		}
	}
	if err := out.fix(fixes); err != nil {
		return nil, err
	}
	return out.text()
}

// text is one command a line, sorted.
func (f facts) text() ([]byte, error) {
	names := make([]string, 0, len(f))
	for n := range f {
		names = append(names, n)
	}
	sort.Strings(names)
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, n := range names {
		key, _ := json.Marshal(n)
		var line bytes.Buffer
		e := json.NewEncoder(&line)
		e.SetEscapeHTML(false)
		if err := e.Encode(f[n]); err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteString(": ")
		b.Write(bytes.TrimRight(line.Bytes(), "\n"))
		if i < len(names)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return b.Bytes(), nil
}

// count puts the number of agreeing sources behind the kinds that more than one
// gives, and drops what isn't an option.
func count(n, fig, zsh *node) {
	for name, kind := range n.Opts {
		if !option.MatchString(name) {
			delete(n.Opts, name)
			continue
		}
		sources := 0
		for _, other := range []*node{fig, zsh} {
			if other == nil {
				continue
			}
			k, ok := other.Opts[name]
			if !ok {
				continue
			}
			if other == fig {
				k = figKind(name, k)
			}
			if agree(kind, k) {
				sources++
			}
		}
		if sources > 1 && kind[0] != '!' {
			n.Opts[name] = fmt.Sprintf("%s%d", kind, sources)
		}
	}
	for name, s := range n.Subs {
		if s.Alias != "" {
			if to := n.Subs[s.Alias]; to == nil || to.Alias != "" || s.Alias == name {
				delete(n.Subs, name)
			}
			continue
		}
		count(s, fig.sub(name), zsh.sub(name))
	}
}

// figKind reads a kind of Fig's as it is meant: a value that may be absent, and a
// short option that needs a "=", take it attached only.
func figKind(name, kind string) string {
	if kind == "-" {
		return kind
	}
	first, _, _ := strings.Cut(kind, " ")
	if strings.Contains(first[1:], "?") || strings.HasSuffix(kind, "=") && !strings.HasPrefix(name, "--") {
		return first[:1] + "="
	}
	return first[:1]
}

// agree tells whether two sources say the same of an option: how it takes its
// value, and whether the value is text, a program, a path or something else.
func agree(a, b string) bool {
	if a == "" || b == "" || strings.HasSuffix(a, "=") != strings.HasSuffix(b, "=") || strings.Contains(a, " ") != strings.Contains(b, " ") {
		return false
	}
	return class(a) == class(b)
}

func class(kind string) byte {
	switch c := kind[0] | 0x20; kind[0] {
	case '-', '?':
		return kind[0]
	case 't', 'T', 'x', 'X':
		return 't' // neither is a file
	case 'p', 'f', 'd', 'P', 'F', 'D':
		return 'p'
	default:
		return c
	}
}
