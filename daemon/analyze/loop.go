package analyze

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"extdir/daemon/access"
	"extdir/daemon/analyze/guard"
	"extdir/daemon/analyze/word"
)

// afterBody divides the states after a loop body into those that go round again
// and those that leave the loop.
func afterBody(sts []*state) (again, left []*state) {
	for _, s := range sts {
		switch s.flow {
		case breaks, continues:
			stays := s.flow == continues && s.levels <= 1
			if s.levels--; s.levels <= 0 {
				s.flow, s.levels = goesOn, 0
			}
			if stays {
				again = append(again, s)
			} else {
				left = append(left, s)
			}
		case goesOn:
			again = append(again, s)
		default:
			left = append(left, s)
		}
	}
	return again, left
}

// leaveLoop counts a loop off. A state is in out once.
func leaveLoop(out []*state) {
	for _, s := range out {
		s.loops--
	}
}

// forIn runs for and select over words.
func (x *run) forIn(c *syntax.ForClause, it *syntax.WordIter, st *state) []*state {
	var alts []alternative
	if it.InPos.IsValid() {
		alts = x.fields(st, it.Items)
	} else {
		items := st.args
		if !st.argsOK {
			items = append(items[:len(items):len(items)], anything)
		}
		alts = []alternative{{words: items, st: st}}
	}
	var out []*state
	for _, a := range alts {
		if a.stop {
			x.halt(a.st, a.fatal)
			out = append(out, a.st)
			continue
		}
		for _, w := range a.words {
			x.listed(a.st, w)
		}
		a.words, _ = x.spread(a.st, x.renamed(a.st, a.words))
		if c.Select {
			out = append(out, x.choose(c, it, a)...)
			continue
		}
		out = append(out, x.rounds(c, it, a)...)
	}
	return merge(out)
}

// rounds runs the body of a for loop once for every item.
func (x *run) rounds(c *syntax.ForClause, it *syntax.WordIter, a alternative) (out []*state) {
	if len(a.words) > 0 && x.noLoop(it, a.st) {
		return a.st.alone()
	}
	a.st.loops++
	defer func() { leaveLoop(out) }()
	sts := []*state{a.st}
	var refused []*state // the variable became readonly in the loop
	a.st.status = yes
	for i, w := range a.words {
		beyond := i >= guard.Max(guard.Items)
		if beyond || i > 0 && !x.b.Take(guard.Rounds, 1) {
			one, ok := access.OneOf(a.words[i:])
			switch {
			case ok:
				beyond, w = true, one
			case beyond:
				x.b.Exceed(guard.Items)
				w = from(anything, "the item of a loop over more than "+strconv.Itoa(guard.Max(guard.Items))+" items")
			}
		}
		many := maybeNone(w) || w.Glob() || w.OneOfMany() || beyond
		if maybeNone(w) || x.option(a.st, "nullglob") && (w.Glob() || w.OneOfMany()) { // it may be no item, or several
			for _, s := range sts {
				out = append(out, s.fork())
			}
		}
		sts = x.debugged(sts)
		for _, s := range sts {
			if s.flow == breaks || s.flow == continues { // in the DEBUG trap: the variable is set all the same
				x.assign(s, it.Name.Value, word.Value{State: word.Set, Scalar: w}, w)
			}
		}
		sts = x.eachState(sts, func(s *state) []*state {
			if !x.assign(s, it.Name.Value, word.Value{State: word.Set, Scalar: w}, w) {
				s.status = no
				refused = append(refused, s)
				return nil
			}
			return x.stmts(c.Do, []*state{s})
		})
		again, left := afterBody(sts)
		out = append(append(out, left...), refused...)
		refused = nil
		sts = merge(again)
		if many && len(sts) > 0 {
			sts = append(sts, x.settle(a.st, sts, func(s *state) []*state {
				if !x.assign(s, it.Name.Value, word.Value{State: word.Set, Scalar: w}, w) {
					s.status = no
					out = append(out, s)
					return nil
				}
				again, left := afterBody(x.stmts(c.Do, []*state{s}))
				out = append(out, left...)
				return again
			})...)
			sts = merge(sts)
		}
		if len(sts) == 0 || beyond || x.over {
			break
		}
	}
	return merge(append(out, sts...))
}

// noLoop tells whether a for loop ends before its first round: its variable can't be set.
func (x *run) noLoop(it *syntax.WordIter, st *state) bool {
	if st.zsh || !x.fixed(st, x.target(st, it.Name.Value)) {
		return false
	}
	st.status = no
	return true
}

// settle runs the rounds of a loop that can't be told one by one: what a round
// changes is unknown in the next, until nothing changes any more. before is the
// state the loop began with, sts those after its first rounds; round runs one more
// and returns the states that go round again. The answer is all states between
// two rounds in one.
func (x *run) settle(before *state, sts []*state, round func(*state) []*state) []*state {
	s := forget(before, sts[0])
	for _, t := range sts[1:] {
		join(s, t)
	}
	for range settleRounds {
		again := round(s.fork())
		if len(again) == 0 || x.over {
			return []*state{s}
		}
		n := forget(s, again[0])
		for _, t := range again[1:] {
			join(n, t)
		}
		if equal(n, s) {
			return []*state{s}
		}
		s = n
	}
	x.b.Exceed(guard.Items)
	return []*state{s}
}

// settleRounds: a value can wander from variable to variable, one a round.
const settleRounds = 12

// maybeNone tells whether a word of a list may stand for none or several.
func maybeNone(w access.Word) bool {
	for _, s := range w.Segs {
		if s.Class != access.Known && s.Class != access.Name && !s.Quoted {
			return true
		}
	}
	return false
}

// choose runs the body of a select loop for any one item, more than once.
func (x *run) choose(c *syntax.ForClause, it *syntax.WordIter, a alternative) (out []*state) {
	if x.noLoop(it, a.st) {
		a.st.in = input{kind: fromPipe} // a line of it was read
		return a.st.alone()
	}
	a.st.loops++
	defer func() { leaveLoop(out) }()
	if a.st.in.kind == fromText && a.st.in.text.Known() {
		return x.chosen(c, it, a)
	}
	out = []*state{a.st.fork()}
	for _, w := range a.words {
		s := a.st.fork()
		for range 2 {
			x.assign(s, it.Name.Value, word.Value{State: word.Set, Scalar: w}, w)
			s.setVar("REPLY", word.Value{})
			again, left := afterBody(x.stmts(c.Do, []*state{s}))
			out = append(out, left...)
			if len(again) == 0 {
				break
			}
			s = forget(a.st, again[0])
			out = append(out, again...)
		}
	}
	return merge(out)
}

// chosen runs the body of a select loop for what is read from a known text: the
// number of an item, anything else for none, an empty line to be shown them again.
func (x *run) chosen(c *syntax.ForClause, it *syntax.WordIter, a alternative) (out []*state) {
	sts := []*state{a.st}
	if len(a.words) == 0 {
		return sts
	}
	for range guard.Max(guard.Items) {
		var next []*state
		for _, s := range sts {
			line, rest, found := takeLine(s.in.text, "\n", false)
			s.in.text = rest
			if s.in.kind != fromText || !found {
				s.status = no
				out = append(out, s)
				continue
			}
			text := litOf(line)
			x.assign(s, "REPLY", word.Value{State: word.Set, Scalar: whole(line)}, line)
			if text == "" {
				next = append(next, s)
				continue
			}
			w := access.Word{}
			if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n > 0 && n <= len(a.words) {
				w = a.words[n-1]
			}
			x.assign(s, it.Name.Value, word.Value{State: word.Set, Scalar: w}, w)
			again, left := afterBody(x.stmts(c.Do, []*state{s}))
			out, next = append(out, left...), append(next, again...)
		}
		if sts = merge(next); len(sts) == 0 || x.over {
			return merge(append(out, sts...))
		}
	}
	x.b.Exceed(guard.Items)
	return merge(append(out, sts...))
}

// while runs while and until. A condition that is known is followed round by
// round; where it isn't, the body runs twice as it is, then with all it changes
// unknown.
func (x *run) while(c *syntax.WhileClause, st *state) []*state {
	cond := func(sts []*state) []*state {
		sts = x.inCondition(func() []*state { return x.stmts(c.Cond, sts) })
		if c.Until {
			for _, s := range sts {
				s.status = s.status.not()
			}
		}
		return sts
	}
	return x.loop(st, cond, func(sts []*state) []*state { return x.stmts(c.Do, sts) }, nil)
}

// cLoop runs for ((init; cond; post)).
func (x *run) cLoop(c *syntax.ForClause, l *syntax.CStyleLoop, st *state) []*state {
	var out, failed []*state
	sts := []*state{st}
	// sum evaluates one of the three, behind the DEBUG trap; bash takes an empty one
	// for 1.
	sum := func(e syntax.ArithmExpr, sts []*state, failed *[]*state) []*state {
		return x.eachState(x.debugged(sts), func(s *state) []*state {
			if s.flow != goesOn {
				return s.alone()
			}
			ok, bad := x.sums(e, s)
			*failed = append(*failed, bad...)
			return ok
		})
	}
	sts = sum(l.Init, sts, &out)
	cond := func(sts []*state) []*state { return sum(l.Cond, sts, &failed) }
	post := func(sts []*state) []*state { return sum(l.Post, sts, &failed) }
	for _, s := range sts {
		out = append(out, x.loop(s, cond, func(sts []*state) []*state { return x.stmts(c.Do, sts) }, post)...)
		leaveLoop(failed)
		out, failed = append(out, failed...), nil
	}
	return merge(out)
}

func (x *run) loop(st *state, cond, body, post func([]*state) []*state) (out []*state) {
	st.loops++
	defer func() { leaveLoop(out) }()
	before := st.fork()
	loose := 0 // rounds whose condition wasn't known
	round := func(sts []*state, first bool) []*state {
		for _, s := range sts {
			s.status = yes
		}
		sts, skips, left := conditions(cond(sts))
		out = append(out, left...)
		for _, s := range sts {
			if s.status == either && s.flow == goesOn {
				loose++
				break
			}
		}
		then, rest := split2(sts, &out)
		for _, s := range rest {
			s.status = yes
			if !first {
				s.status = either // that of the body's last round
			}
		}
		out = append(out, rest...)
		if len(then) == 0 || x.over {
			return skips
		}
		again, left := afterBody(body(then))
		out = append(out, left...)
		again = merge(append(again, skips...))
		if post != nil {
			again = post(again)
		}
		return again
	}
	sts := []*state{st}
	for n := 0; len(sts) > 0 && !x.over; n++ {
		if loose >= 2 || n >= guard.Max(guard.Items) || n > 1 && !x.b.Take(guard.Rounds, 1) {
			out = append(out, x.settle(before, sts, func(s *state) []*state { return round([]*state{s}, false) })...)
			break
		}
		from := forks(sts)
		sts = unseen(round(sts, n == 0), from)
		if len(sts) == 0 && len(out) == 0 {
			out = append(out, from...) // without an end, as far as can be told
		}
	}
	return merge(out)
}

// conditions takes out the states whose condition itself leaves the loop, or goes
// round again, with break or continue.
func conditions(sts []*state) (rest, again, left []*state) {
	for _, s := range sts {
		if s.flow != breaks && s.flow != continues {
			rest = append(rest, s)
			continue
		}
		round, gone := afterBody([]*state{s})
		again, left = append(again, round...), append(left, gone...)
	}
	return rest, again, left
}

func forks(sts []*state) []*state {
	out := make([]*state, len(sts))
	for i, s := range sts {
		out[i] = s.fork()
	}
	return out
}

// unseen leaves out the states that a round of a loop began with: another round
// would change nothing.
func unseen(sts, seen []*state) []*state {
	return slices.DeleteFunc(sts, func(s *state) bool {
		return slices.ContainsFunc(seen, func(o *state) bool { return equal(o, s) })
	})
}

// caseClause runs case. A pattern that is known to match or not decides; the
// others are taken both ways.
func (x *run) caseClause(c *syntax.CaseClause, st *state) []*state {
	var out []*state
	for _, a := range x.one(st, c.Word, word.Single) {
		if a.stop {
			x.halt(a.st, a.fatal)
			out = append(out, a.st)
			continue
		}
		out = append(out, x.caseItems(c.Items, a.words[0], a.st)...)
	}
	return merge(out)
}

func (x *run) caseItems(items []*syntax.CaseItem, subject access.Word, st *state) []*state {
	var out []*state
	sts := []*state{st} // not matched so far
	var falls []*state  // run the next body whatever its pattern
	for _, item := range items {
		enter := falls
		falls = nil
		for _, p := range item.Patterns {
			var rest []*state
			for _, s := range sts {
				for _, a := range x.one(s, p, word.Pattern) {
					switch x.match(a.st, subject, a.words[0]) {
					case yes:
						enter = append(enter, a.st)
					case no:
						rest = append(rest, a.st)
					default:
						enter = append(enter, a.st.fork())
						rest = append(rest, a.st)
					}
				}
			}
			sts = merge(rest)
		}
		if len(enter) == 0 {
			continue
		}
		for _, s := range enter {
			s.status = yes
		}
		res := x.stmts(item.Stmts, merge(enter))
		switch item.Op {
		case syntax.Fallthrough:
			falls = res
		case syntax.Resume, syntax.ResumeKorn: // ;;& and zsh's ;|
			sts = merge(append(sts, res...))
		default:
			out = append(out, res...)
		}
	}
	for _, s := range sts {
		s.status = yes
	}
	return merge(append(append(out, falls...), sts...))
}

// match matches text against a pattern.
func (x *run) match(st *state, subject, pattern access.Word) status {
	ok, sure := word.Match(&env{x: x, st: st}, pattern, subject, x.option(st, "nocasematch"))
	switch {
	case !sure:
		return either
	case ok:
		return yes
	}
	return no
}
