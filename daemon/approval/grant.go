// Package approval keeps what people approved and what they are asked.
//
// A [Grant] covers paths, or one exact line, for one session or for all, once,
// for the session, or until a time. [Store] holds grants in memory, where a line
// is looked up without I/O, and on disk, where an acknowledged grant stands
// before whoever gave it hears of it. [Pending] holds the open questions.
//
// The file is no more trusted than any file of the user's: each record carries a
// MAC, a record that doesn't verify is dropped, and a file that can't be read is
// moved aside. What gets lost by that are approvals, so there are more questions
// and never fewer.
package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"time"

	"extdir/daemon/access"
	"extdir/daemon/session"
)

// Scope is how long a grant lasts.
type Scope string

const (
	Once      Scope = "once"    // the next line it covers; in memory only
	InSession Scope = "session" // to the end of its session
	Until     Scope = "until"   // to a time
)

// PathGrant is a path, or a directory and all below it, that a grant covers.
type PathGrant struct {
	Path  string
	Tree  bool         `json:",omitempty"`
	Glob  bool         `json:",omitempty"` // Path is a pattern, and covers that same pattern
	Kinds access.Kinds // read, write, execute
}

// Digest names a line in a directory.
type Digest [sha256.Size]byte

// LineDigest is the digest of a line's bytes and its physical directory.
func LineDigest(line, cwd string) Digest {
	b := make([]byte, 0, 8+len(line)+len(cwd))
	b = binary.BigEndian.AppendUint64(b, uint64(len(line)))
	b = append(b, line...)
	b = append(b, cwd...)
	return sha256.Sum256(b)
}

// By is who gave a grant.
type By struct {
	Pid int
	UID int
	TTY string
}

// Grant is a stored approval.
type Grant struct {
	ID      string
	Session string // key; "": every session
	Anchor  session.ID
	// Paths alone are covered in every line; Exact alone covers one line whole.
	// Both: these paths, in this line, so that a link that is moved before the
	// line runs isn't covered.
	Paths   []PathGrant `json:",omitempty"`
	Exact   *Digest     `json:",omitempty"`
	Scope   Scope
	Given   time.Time
	Expires time.Time // zero: with its session
	By      By
	Line    string // the line that was asked about
	Cwd     string

	// Boot and Uptime bound a grant by the kernel's own clock: the time of day
	// can be set back.
	Boot   string        `json:",omitempty"`
	Uptime time.Duration `json:",omitempty"` // of the machine, when it expires

	// Saved: it stands on disk.
	Saved bool `json:"-"`
}

// covers tells whether the grant's path covers an access.
func (p PathGrant) covers(a access.Access) bool {
	if a.Certainty != access.Certain || a.Kind == access.Self || !p.Kinds.Has(a.Kind) || a.Path == "" {
		return false
	}
	if a.Glob && strings.Contains("/"+a.Path+"/", "/../") {
		return false // may climb out of any directory
	}
	if a.Path == p.Path && a.Glob == p.Glob {
		return p.Tree || !a.Dir
	}
	return p.Tree && strings.HasPrefix(a.Path, strings.TrimSuffix(p.Path, "/")+"/")
}

func (g *Grant) coversPath(a access.Access) bool {
	return slices.ContainsFunc(g.Paths, func(p PathGrant) bool { return p.covers(a) })
}

// tooWide tells whether a tree at dir would be "/", a home directory or a
// directory above one.
func tooWide(dir, home string) bool {
	dir = path.Clean(dir)
	if dir == "/" || dir == "." {
		return true
	}
	for _, h := range []string{home, "/root", "/home", "/Users"} {
		if h == "" {
			continue
		}
		if h = path.Clean(h); dir == h || strings.HasPrefix(h, dir+"/") {
			return true
		}
	}
	// Every other user's home directory, too.
	switch path.Dir(dir) {
	case "/home", "/Users":
		return true
	}
	return false
}
