// Extdir-hook is the client that the shell integration runs for a command line.
// It is not for people: `extdird` is.
package main

import (
	"os"
	"slices"

	"extdir/hook"
	"extdir/hook/agent"
)

func main() {
	words := os.Args[1:]
	if at := slices.Index(words, "agent"); at >= 0 {
		os.Exit(agent.Main(slices.Delete(words, at, at+1), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(hook.Main(words, taken()))
}
