// Package access is the vocabulary of extdir: what a command line would touch.
//
// The analyzer turns a line into a [Line]: the accesses it makes and the simple
// commands it runs. Everything after that (policy, approval, the question on a
// terminal, the log) speaks only of these values and never of shell syntax.
//
// Every word has one of three answers: surely a path, surely not a path, or
// unknown. Unknown never collapses into "not a path": it is an [Access] with
// Certainty [Unknown].
package access

import "strings"

// Kind is what an access does to its path. The values are bits so that a set of
// kinds ([Kinds]) can be written with them.
type Kind uint8

const (
	Read    Kind = 1 << iota // list, stat, test, cd, open for reading
	Write                    // create, modify, delete, rename, chmod, link
	Execute                  // run a program or script given by a path outside
	Self                     // acts on the guard itself: see Access.Self
)

func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Write:
		return "write"
	case Execute:
		return "execute"
	case Self:
		return "self"
	}
	return "none"
}

// ParseKind is the inverse of Kind.String for read, write and execute.
func ParseKind(s string) (Kind, bool) {
	switch s {
	case "read":
		return Read, true
	case "write":
		return Write, true
	case "execute":
		return Execute, true
	}
	return 0, false
}

// Kinds is a set of kinds.
type Kinds uint8

// AllKinds is the kinds a path rule can name.
const AllKinds = Kinds(Read | Write | Execute)

func (s Kinds) Has(k Kind) bool { return s&Kinds(k) != 0 }

func (s Kinds) String() string {
	var names []string
	for _, k := range []Kind{Read, Write, Execute, Self} {
		if s.Has(k) {
			names = append(names, k.String())
		}
	}
	return strings.Join(names, "+")
}

// Certainty tells whether the path of an access is known.
type Certainty uint8

const (
	Certain Certainty = iota
	Unknown           // some part can't be determined from the line
)

func (c Certainty) String() string {
	if c == Unknown {
		return "unknown"
	}
	return "certain"
}

// SelfLevel is how the built-in gate treats an access of kind Self
// (contract: "from accesses to a verdict", built-in).
type SelfLevel uint8

const (
	SelfNone SelfLevel = iota
	SelfAsk            // ask in agent sessions, ask in human ones
	SelfDeny           // deny in agent sessions, ask (never stored) in human ones
)

// Access is one path the line would touch, or one way it acts on the guard.
type Access struct {
	// Typed is the word after expansion, made absolute against the directory in
	// force at that point of the line and cleaned lexically. A known directory
	// with an unknown rest ends in "/*". Empty: unknown anywhere, or kind Self.
	Typed string
	// Path is Typed resolved the kernel's way: every symlink followed, ".."
	// taken after following. The last component may be missing. A glob keeps
	// its pattern below the resolved fixed directory.
	Path      string
	Kind      Kind
	Certainty Certainty
	// External: Path lies outside every root. An unknown access that may lie
	// outside is external too.
	External bool
	// Confined, with Certainty Unknown: the unknown is a part of one plain name in a
	// known directory, where no link has such a name: whatever it is, it lies there.
	Confined bool
	// Dir: the operand is a directory and the command works on its tree, so a
	// grant for it covers the directory and what is below it.
	Dir bool
	// Glob: the path holds an active pattern character.
	Glob bool
	// Pattern says what a Glob may stand for where its text in Path doesn't.
	Pattern Pattern
	Self    SelfLevel
	// Why says where the access comes from in the words of a person: "operand
	// of cat", "target of >", "value of --output", "cd", "string in python code".
	Why string
	// Start and End are byte offsets in the line as it was sent.
	Start, End int
}

// Name is the name an access is listed under: the typed one if that is outside
// by itself (outside tells), else the resolved one. Empty: unknown anywhere.
func (a Access) Name(outside func(string) bool) string {
	if a.Typed != "" && outside(a.Typed) {
		return a.Typed
	}
	return a.Path
}

// Command is one simple command of the line as the command gate sees it.
type Command struct {
	// Forms are the command as it stands and again after each peeling step
	// ("sudo env git push", "env git push", "git push"). Words are expanded and
	// joined by one blank; assignments and redirects are removed.
	Forms []CommandText
	// Start and End are byte offsets of the command in the line.
	Start, End int
}

// CommandText is the text of a command, with the unknown parts cut out: the
// text is Parts[0], something unknown, Parts[1], something unknown, …
type CommandText struct{ Parts []string }

// String shows unknown parts as "…".
func (c CommandText) String() string { return strings.Join(c.Parts, "…") }

// Need is something of the interactive shell's state that would decide about
// the line and that only the shell itself can tell.
type Need struct {
	Kind string // "var", "func", "alias"
	Name string
	// Must: the line may run commands from it that don't stand in the line, so
	// that it can't be allowed without an answer.
	Must bool
}

// Line is everything the analyzer found in one command line.
type Line struct {
	Accesses []Access
	Commands []Command
	// Dynamic: some access is unknown.
	Dynamic bool
	// Error is set when the line could not be judged as a whole (too long, too
	// deep, doesn't parse); Accesses then holds an unknown access.
	Error string
	// Needs lists what would make unknown accesses known, in order, unique.
	Needs []Need
	// Changes: the line may change the shell's aliases or functions (alias,
	// unalias, function definitions, source, eval of unknown text …), so what
	// was learned of them before is stale after it ran.
	Changes bool
}
