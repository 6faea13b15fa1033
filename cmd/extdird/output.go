package main

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// jsonFlag gives a command that reads something the flag --json.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

// printJSON prints a value for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Styles of terminal output; see (*app).paint.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// paint puts colour round s where somebody can see it: on a terminal, unless
// NO_COLOR (no-color.org) or a dumb terminal says otherwise.
func (a *app) paint(style, s string) string {
	if s == "" || !a.colours() {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func (a *app) colours() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(a.out.Fd()))
}

// printJSONLine prints a value as one line, for lists that may be long.
func (a *app) printJSONLine(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
