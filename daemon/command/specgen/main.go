// Specgen makes the base table of commands.
//
//	specgen merge FACTS FIG ZSH   writes ../facts/base.json from extracted facts
//	specgen pack                  writes ../facts/base.bin from ../facts/base.json
//
// It runs in its own folder. The README says how the facts are extracted.
package main

import (
	"fmt"
	"os"
)

const (
	source = "../facts/base.json"
	table  = "../facts/base.bin"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "specgen:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "merge":
		text, err := merge(args[1], args[2], args[3])
		if err != nil {
			return err
		}
		return os.WriteFile(source, text, 0o644)
	case len(args) == 1 && args[0] == "pack":
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		packed, err := pack(text)
		if err != nil {
			return err
		}
		return os.WriteFile(table, packed, 0o644)
	}
	return fmt.Errorf("say merge FACTS FIG ZSH or pack; see README.md")
}
