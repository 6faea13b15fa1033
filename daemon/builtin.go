package daemon

import "os"

// Rule is one thing the built-in gate says; no configuration loosens it.
type Rule struct {
	What  string `json:"what"`
	Agent string `json:"agent"` // in agent sessions
	Human string `json:"human"` // in human ones
}

// Builtin lists the built-in gate of the daemon of a place.
func Builtin(p Place) []Rule {
	const once = "ask (never stored)"
	home, _ := os.UserHomeDir()
	var out []Rule
	for _, f := range ownFiles(p, home) {
		out = append(out, Rule{"writing " + f, "deny", once})
	}
	for _, what := range []string{
		"changing the guard's variables, functions, options or hooks",
		"traps on DEBUG and INT",
		"switching history off",
		"fc and r, which run a line again unseen",
		"setting HOME, XDG_*, EXTDIR_*, BASH_ENV, ENV, ZDOTDIR, PROMPT_COMMAND or PS0 for later lines",
		"killing or tracing the daemon",
		"tools that answer questions for a person",
	} {
		out = append(out, Rule{what, "deny", once})
	}
	for _, what := range []string{
		"a shell that will not be guarded and whose text is not in the line",
		"keystrokes into a terminal or pane outside the session",
		"leaving the guard: sudo -s, su, ssh HOST without a command, docker exec -it … sh",
	} {
		out = append(out, Rule{what, "ask", "ask"})
	}
	return out
}
