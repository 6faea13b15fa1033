package word

import "extdir/daemon/access"

// reach is a set of positions: those the pattern may reach and those it must.
type reach struct {
	may, must []bool
	lo, hi    int // no position outside lo..hi is set
}

func newReach(n int) reach {
	b := make([]bool, 2*(n+1))
	return reach{may: b[: n+1 : n+1], must: b[n+1:], lo: n + 1, hi: -1}
}

func (s *reach) set(p int, must bool) {
	s.may[p] = true
	if must {
		s.must[p] = true
	}
	s.lo, s.hi = min(s.lo, p), max(s.hi, p)
}

func (s *reach) add(t reach) (grew bool) {
	for p := t.lo; p <= t.hi; p++ {
		if t.may[p] && !s.may[p] || t.must[p] && !s.must[p] {
			s.set(p, t.must[p])
			grew = true
		}
	}
	return grew
}

// matcher runs patterns over one text. When the budget is used up it answers
// "may, needn't" for everything.
type matcher struct {
	text  []cell
	fold  bool
	spend func(int) bool
	spent bool
}

func (m *matcher) end() int { return len(m.text) - 1 }

// from returns where the pattern can end that begins at p.
func (m *matcher) from(nodes []node, p int) reach {
	s := newReach(m.end())
	s.set(p, true)
	if s = m.run(nodes, m.close(s)); m.spent {
		return m.everything()
	}
	return s
}

// close adds the ends of unknown parts: one may be over after any character, and
// one of class Any may be empty.
func (m *matcher) close(s reach) reach {
	for p := s.lo; p <= s.hi; p++ {
		switch c := m.text[p]; {
		case !s.may[p] || !c.unknown:
		case c.inside:
			s.set(p+1, false)
		case c.class == access.Any:
			s.set(p+2, false)
		}
	}
	return s
}

func (m *matcher) run(nodes []node, s reach) reach {
	for i := range nodes {
		if s.hi < 0 || m.spent {
			return s
		}
		s = m.step(&nodes[i], s)
	}
	return s
}

func (m *matcher) step(n *node, s reach) reach {
	if !m.spent && !m.spend(1+len(m.text)/128) {
		m.spent = true
	}
	if m.spent {
		return m.everything()
	}
	out := newReach(m.end())
	switch n.op {
	case char, anyChar, oneOf:
		for p := s.lo; p <= s.hi && p < m.end(); p++ {
			if !s.may[p] {
				continue
			}
			switch c := m.text[p]; {
			case !c.unknown:
				if n.matches(c.r, m.fold) {
					out.set(p+1, s.must[p])
				}
			case c.class == access.Name && n.onlySlash():
			case c.inside:
				out.set(p, false)
			default:
				out.set(p+1, false)
			}
		}
	case star:
		must := false
		for p := s.lo; p <= m.end(); p++ {
			must = must || s.must[p]
			out.set(p, must && !m.text[p].inside)
		}
	case hole:
		for p := s.lo; p <= m.end(); p++ {
			out.set(p, false)
		}
	case not:
		for p := s.lo; p <= s.hi; p++ {
			if !s.may[p] {
				continue
			}
			one := newReach(m.end())
			one.set(p, true)
			inner := m.alternatives(n.alts, m.close(one))
			for q := p; q <= m.end(); q++ {
				if !inner.must[q] {
					out.set(q, s.must[p] && !inner.may[q] && !m.text[q].inside)
				}
			}
		}
	default:
		if n.op == maybe || n.op == many {
			out.add(s)
		}
		next := m.alternatives(n.alts, s)
		for out.add(next) && (n.op == many || n.op == some) && !m.spent {
			next = m.alternatives(n.alts, next)
		}
		return out
	}
	return m.close(out)
}

func (m *matcher) alternatives(alts [][]node, s reach) reach {
	out := newReach(m.end())
	for _, a := range alts {
		out.add(m.run(a, s))
		if m.spent {
			return m.everything()
		}
	}
	return out
}

// everything is the answer when nothing more may be spent.
func (m *matcher) everything() reach {
	out := newReach(m.end())
	for p := range m.text {
		out.set(p, false)
	}
	return out
}

// Match tells whether text matches pattern (as Pattern returned it) whole. sure
// is false where that depends on something unknown; yes then is "it may".
// fold ignores case (nocasematch).
func Match(sh Shell, pattern, text access.Word, fold bool) (yes, sure bool) {
	m := matcher{text: cells(unfold(text)), fold: fold, spend: sh.Spend}
	s := m.from(compile(sh, pattern, true, true), 0)
	may, must := s.may[m.end()], s.must[m.end()]
	return may, may == must
}
