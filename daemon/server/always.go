package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/approval"
	"extdir/daemon/config"
	"extdir/daemon/policy"
	"extdir/hook/wire"
)

func init() {
	handlers["always"] = handler{person: true, handle: always}
}

// always answers a question for good: by a rule in the user's file. It is asked
// twice: the first time for the change to look at, the second time with the
// digest of what was looked at, so that nothing else is written.
func always(_ context.Context, c *conn, req *wire.Request) reply {
	s := c.s
	id := req.Get("id")
	q, ok := s.o.Pending.Get(id)
	if !ok || !q.Open {
		return text("there is no open question " + approval.Escape(id) + "; " + s.o.Command + " pending lists them")
	}
	kinds, err := parseKinds(req.Get("kinds"))
	if err != nil {
		return text(err.Error())
	}
	e, decided, err := rule(q, kinds, req.Get("tree") == "1", s.o.Home)
	if err != nil {
		return text(err.Error())
	}
	change, err := s.o.Config.Insert(e, decided, first(q.Session.Roots), q.Session.Agent)
	if err != nil {
		return text(err.Error())
	}
	sum := digest(change)
	if req.Get("confirm") == "" {
		return fields(wire.Field{Key: "diff", Value: change.Diff()}, wire.Field{Key: "confirm", Value: sum})
	}
	if req.Get("confirm") != sum {
		return text("the configuration or the question changed meanwhile: look at the change again")
	}
	if err := change.Write(); err != nil {
		return text(err.Error())
	}
	s.o.Config.Reload()
	c.acted("config", "rule "+e.Surface+" "+e.Pattern+" in "+change.File)
	// The shell that waits doesn't wait for the file to be read.
	g, err := s.o.Pending.Approve(id, approval.Answer{Scope: approval.InSession, Kinds: kinds, Tree: req.Get("tree") == "1"}, c.by())
	if g.ID == "" && err != nil {
		return text("the rule is written, but the question was answered meanwhile: " + err.Error())
	}
	s.answered(q, "approve", c.by(), g.ID)
	return reply{Verdict: wire.OK, Arg: g.ID}
}

func digest(c config.Change) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(c.File), c.Old, c.New} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func parseKinds(words string) (access.Kinds, error) {
	var out access.Kinds
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return r == ',' || r == ' ' || r == '+' }) {
		k, known := access.ParseKind(word)
		if !known {
			return 0, fmt.Errorf("the kinds are read, write and execute, not %s", approval.Escape(word))
		}
		out |= access.Kinds(k)
	}
	return out, nil
}

// rule makes the rule that allows what a question asks about, and no more: one
// path on one surface. decided is where the rule stands that led to the question.
func rule(q approval.Request, kinds access.Kinds, tree bool, home string) (e policy.Entry, decided policy.Origin, err error) {
	const byHand = "; approve it for the session, or write the rule by hand"
	for _, f := range q.Decision.Findings {
		if f.Action != policy.Ask || f.Grant != "" {
			continue
		}
		if f.Gate != "path" && f.Gate != "external_directory" || f.Access < 0 || f.Access >= len(q.Found.Accesses) {
			return e, decided, fmt.Errorf("no rule on a path allows this line: it was asked about by the %s gate%s", f.Gate, byHand)
		}
		a := q.Found.Accesses[f.Access]
		if a.Certainty != access.Certain || a.Path == "" || a.Glob {
			return e, decided, errors.New("a path in it isn't known to the letter" + byHand)
		}
		pattern := policy.Literal(a.Path)
		switch {
		case e.Pattern == "":
			e.Surface, e.Pattern = f.Gate, pattern
			if f.Rule != nil {
				decided = f.Rule.Origin
			}
		case e.Surface != f.Gate || e.Pattern != pattern:
			return e, decided, errors.New("it was asked about more than one path" + byHand)
		}
		if err := narrow(a, tree, home); err != nil {
			return e, decided, err
		}
		if k := access.Kinds(a.Kind); kinds != 0 && !kinds.Has(a.Kind) {
			continue
		} else if k.Has(access.Read) {
			e.Read = policy.Allow
		} else if k.Has(access.Write) {
			e.Write = policy.Allow
		} else if k.Has(access.Execute) {
			e.Execute = policy.Allow
		}
	}
	switch {
	case e.Pattern == "":
		return e, decided, errors.New("nothing in it was asked about by name" + byHand)
	case e.Read|e.Write|e.Execute == policy.NoOpinion:
		return e, decided, fmt.Errorf("no path of this line is accessed as %s only", kinds)
	}
	return e, decided, nil
}

// narrow refuses a rule that would cover more than was shown: a pattern names a
// tree, so that of a directory covers all that is below it.
func narrow(a access.Access, tree bool, home string) error {
	if a.Path == "/" || home != "" && (home == a.Path || strings.HasPrefix(home, a.Path+"/")) {
		return fmt.Errorf("a rule for all of %s is too much for one answer; write it by hand if you mean it", approval.Escape(a.Path))
	}
	if a.Dir || tree {
		return nil
	}
	if fi, err := os.Stat(a.Path); err == nil && fi.IsDir() {
		return fmt.Errorf("a rule for the directory %s covers all that is below it, which this line didn't ask for: add --tree if you mean it", approval.Escape(a.Path))
	}
	return nil
}
