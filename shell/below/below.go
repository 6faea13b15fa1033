// Package below is how a -c shell finds out by itself, without asking the daemon,
// that a line which was judged already answers for it: make recipes, npm scripts, git
// hooks, an editor's ":!".
//
// A shell that judges lines exports EXTDIR_BELOW, its own process id. A -c shell that
// finds it walks up from its parent, as the kernel tells it (/proc/PID/stat, proc(5);
// where there is none, and for whatever else is in doubt, it asks the daemon): the
// process that is named must stand above it, and up to it there may be nothing but
// shells and programs that pass on what a line made them do (the shell itself may be
// one of these by now: it ends in exec). Everything else, an agent's program first of
// all, speaks for itself, and the daemon decides about it. Process ids come round
// again, but never as an ancestor's of one that is older.
//
// The variable alone proves nothing: whoever sets it can only name a process that is
// really above. Where a host was started from a guarded shell, the host stands between.
package below

import "strings"

// Variable names the shell that judged the line.
const Variable = "EXTDIR_BELOW"

// Programs pass on what a line made them do, by their names in the process table, and
// give a shell no words of their own.
const Programs = "bash zsh sh dash ash ksh mksh busybox " +
	"make gmake ninja just task rake cargo go git npm " +
	"env nice ionice timeout nohup setsid stdbuf time chrt taskset xargs find parallel entr watch " +
	"vi vim nvim ed less man mc"

// Levels is how far up a shell looks.
const Levels = 16

// Passes tells whether a program of that name is passed over.
func Passes(name string) bool {
	for n := range strings.FieldsSeq(Programs) {
		if n == name {
			return true
		}
	}
	return false
}

// Pattern are words as alternatives of a pattern in case. npm calls its process
// after what it does ("npm run build").
func Pattern(words string) string {
	return strings.ReplaceAll(words, " ", "|")
}
