package main

import (
	"fmt"
	"os"
	"strings"
)

// fix is a fact of the sources that the manual contradicts.
type fix struct{ path, option, kind string }

// readFixes reads lines of COMMAND[/SUBCOMMAND] OPTION KIND # REASON. The kind
// "none" drops the option.
func readFixes(file string) ([]fix, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []fix
	for i, line := range strings.Split(string(text), "\n") {
		said, why, _ := strings.Cut(line, " # ")
		f := strings.Fields(said)
		if len(f) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(f) != 3 || why == "" {
			return nil, fmt.Errorf("%s:%d: say COMMAND OPTION KIND # REASON", file, i+1)
		}
		out = append(out, fix{f[0], f[1], f[2]})
	}
	return out, nil
}

func (f facts) fix(fixes []fix) error {
	for _, x := range fixes {
		parts := strings.Split(x.path, "/")
		n := f.get(parts[0])
		for _, p := range parts[1:] {
			n = n.sub(p)
		}
		if n == nil {
			return fmt.Errorf("fixes.txt: no %s in the facts; drop its line", x.path)
		}
		if n.Opts[x.option] == x.kind {
			return fmt.Errorf("fixes.txt: the facts say %s of %s %s already; drop the line", x.kind, x.path, x.option)
		}
		if x.kind == "none" {
			delete(n.Opts, x.option)
			continue
		}
		if n.Opts == nil {
			n.Opts = map[string]string{}
		}
		n.Opts[x.option] = x.kind
	}
	return nil
}
