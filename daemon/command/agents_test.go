package command

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// interpreted are builtins that the shell's interpretation carries out.
var interpreted = map[string]bool{
	".": true, "alias": true, "cd": true, "command": true, "eval": true, "exec": true, "export": true,
	"popd": true, "pushd": true, "read": true, "set": true, "source": true, "trap": true,
}

// The commands that coding agents use most (testdata/agents.txt) are all
// described by hand, or are builtins that the shell's interpretation carries out
// (daemon/analyze/builtin.go): none is left to the generated table or to guessing.
func TestAgents(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	names := readLines(t, "agents.txt")
	if len(names) != 386 {
		t.Errorf("%d commands, want 386", len(names))
	}
	by := map[string]int{}
	for _, name := range names {
		where := table.Where(name)
		switch {
		case interpreted[name]:
			by["builtin"]++
		case len(where) == 0:
			t.Errorf("%s: nobody describes it", name)
		case where[0].Place == basePlace.String():
			t.Errorf("%s: only the generated table describes it; write a spec", name)
		case len(where) > 1:
			by["spec over base"]++
		default:
			by["spec alone"]++
		}
	}
	t.Logf("%d commands: %v", len(names), by)
}

// openNothing are the agents' commands whose operands and usual options name no
// file: all that their examples can show is that nothing is one.
var openNothing = strings.Fields("basename createdb dirname envsubst expr factor false free host htop id ifconfig kill killall netstat nproc nslookup numfmt ping printf ps pwd seq service sleep top tput tr traceroute true tty type ulimit uname uptime which whoami yes")

// attached is an option in one word with its value, of several letters or long.
var attached = regexp.MustCompile(`^(--?[A-Za-z][-\w.:]*[=:].+|-[A-Za-z0-9]\S+|--[a-z]\S*|\w+=\S+|[+/][A-Za-z]\S*)$`)

// Each of them has at least three examples: among them a path outside, a word that
// looks like one and isn't, and an option that isn't a word of its own.
func TestAgentExamples(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := table.below.Over(table.bare)
	if err != nil {
		t.Fatal(err)
	}
	type count struct{ all, outside, alike, option int }
	counts := map[string]*count{}
	for _, try := range whole.tries {
		file, err := syntax.NewParser().Parse(strings.NewReader(try.line), "")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		syntax.Walk(file, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			name := baseName(exampleWord(call.Args[0], nil).String())
			if seen[name] {
				return true
			}
			seen[name] = true
			c := counts[name]
			if c == nil {
				c = &count{}
				counts[name] = c
			}
			c.all++
			if len(try.want) > 0 {
				c.outside++
			}
			alike, option := false, false
			for _, a := range call.Args[1:] {
				w := exampleWord(a, nil).String()
				option = option || attached.MatchString(w)
				alike = alike || strings.ContainsAny(w, "/~") && !slices.ContainsFunc(try.want, func(want string) bool {
					_, name, _ := strings.Cut(want, ":")
					return name != "" && strings.Contains(w, name)
				})
			}
			if alike {
				c.alike++
			}
			if option {
				c.option++
			}
			return true
		})
	}
	for _, name := range readLines(t, "agents.txt") {
		if interpreted[name] {
			continue
		}
		c := counts[name]
		if c == nil {
			c = &count{}
		}
		if c.all < 3 {
			t.Errorf("%s has %d examples, want three", name, c.all)
		}
		if slices.Contains(openNothing, name) {
			if c.outside > 0 {
				t.Errorf("%s has an example that opens a file; take it off openNothing", name)
			}
			continue
		}
		if c.outside == 0 || c.alike == 0 || c.option == 0 {
			t.Errorf("%s has %d examples with a path outside, %d with a word like one, %d with an attached, clustered or long option; want one of each", name, c.outside, c.alike, c.option)
		}
	}
}
