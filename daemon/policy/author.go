package policy

// Author is whose word a layer is. A deny is final for every other author; the
// same author's later and more specific layer may take it back.
type Author uint8

const (
	Defaults Author = iota // shipped with extdir; none of its rules denies
	Managed                // the machine's administrator
	User                   // the person's own file, all its sections
	Project                // the file that lies in the project itself
	authors
)

func (a Author) String() string {
	return [...]string{"defaults", "managed", "user", "project"}[a]
}

// Entry is one pattern of a surface with what it says of each kind. NoOpinion
// leaves a kind to the rules before it. On the surface "bash" only Execute counts.
type Entry struct {
	Surface              string
	Pattern              string
	Read, Write, Execute Action
	Reason               string
	Origin               Origin
}

// Layer is a set of rules of one author. Layers are handed to [Compile] in order:
// later ones may turn ask into allow and may always be stricter.
type Layer struct {
	Name   string // see Origin.Layer
	Author Author
	Rules  []Entry
}

// Problem is something wrong with a rule.
type Problem struct {
	Origin  Origin
	Message string
	// Warning: the rule is sound but will never take effect, or can't in this
	// session; otherwise the rule is not in force at all.
	Warning bool
}

// Env is what patterns and decisions depend on besides the rules. Its values are
// those of the start of the session.
type Env struct {
	Home   string // for ~ and $HOME; "" is unknown
	TmpDir string // for $TMPDIR; "" is unset
	Root   string // for $ROOT; "" is a session without a root
	// Resolve returns the real name of a path, the last existing part of it
	// resolved. Nil: names are taken as they are.
	Resolve func(path string) string
	// Own are the files and directories of extdir itself: see the built-in gate.
	Own []string
	// Unknown is what an unknown access gets: Ask (also for NoOpinion), Allow or Deny.
	Unknown Action
	// Observe: nothing is asked in any session; denies refuse all the same.
	Observe bool
}
