// Extdir-hook is the client that the shell integration runs for a command line.
// It is not for people: `extdird` is.
package main

import (
	"os"

	"extdir/hook"
)

func main() { os.Exit(hook.Main(os.Args[1:], taken())) }
