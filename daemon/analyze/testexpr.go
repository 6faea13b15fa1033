package analyze

import (
	"strconv"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/analyze/word"
)

// tester evaluates the words of test and [, as far as they are known, the way bash
// does (test.c of 5.2): up to four words by their number, more by a grammar. All of
// it is evaluated; an error anywhere makes the command fail.
type tester struct {
	x      *run
	st     *state
	args   []access.Word
	bash   bool
	failed bool // there is an error in it
	lost   bool // what it means isn't known
}

// testWords is the status of test over words.
func (x *run) testWords(st *state, args []access.Word) status {
	for _, w := range args {
		if maybeNone(w) || w.Glob() || w.OneOfMany() {
			return either // as many words as it turns out
		}
	}
	t := &tester{x: x, st: st, args: args, bash: !st.zsh && !st.child || st.bash}
	s := t.counted(args)
	switch {
	case t.lost || t.failed && !t.bash:
		return either
	case t.failed:
		return no
	}
	return s
}

func (t *tester) fail() status {
	t.failed = true
	return no
}

// counted decides by the number of words (POSIX).
func (t *tester) counted(args []access.Word) status {
	switch len(args) {
	case 0:
		return no
	case 1:
		return emptiness("-n", args[0])
	case 2:
		switch {
		case litOf(args[0]) == "!":
			return t.counted(args[1:]).not()
		case unary(args[0]):
			return t.unary(args[0], args[1])
		case !args[0].Known():
			t.lost = true
		}
		return t.fail()
	case 3:
		op, known := args[1].Lit()
		switch {
		case !known:
			t.lost = true
			return either
		case binaryTests[op]:
			return t.binary(args[0], op, args[2])
		case op == "-a":
			return both(emptiness("-n", args[0]), emptiness("-n", args[2]))
		case op == "-o":
			return both(emptiness("-n", args[0]).not(), emptiness("-n", args[2]).not()).not()
		case litOf(args[0]) == "!":
			return t.counted(args[1:]).not()
		case litOf(args[0]) == "(" && litOf(args[2]) == ")":
			return emptiness("-n", args[1])
		case !args[0].Known() || !args[2].Known():
			t.lost = true
		}
		return t.fail()
	}
	if !allKnown(args) {
		t.lost = true // any of them may be an operator
		return either
	}
	if len(args) == 4 {
		switch {
		case litOf(args[0]) == "!":
			return t.counted(args[1:]).not()
		case litOf(args[0]) == "(" && litOf(args[3]) == ")":
			return t.counted(args[1:3])
		}
	}
	s := t.or(0)
	if len(t.args) > 0 && !t.failed {
		return t.fail() // too many words
	}
	return s
}

// both is and.
func both(a, b status) status {
	switch {
	case a == no || b == no:
		return no
	case a == yes && b == yes:
		return yes
	}
	return either
}

// next takes a word off if it is the given operator.
func (t *tester) next(op string) bool {
	if len(t.args) == 0 || litOf(t.args[0]) != op {
		return false
	}
	t.args = t.args[1:]
	return true
}

// maxTest is how deep an expression of test is followed.
const maxTest = 200

func (t *tester) or(depth int) status {
	s := t.and(depth)
	for t.next("-o") {
		s = both(s.not(), t.and(depth).not()).not()
	}
	return s
}

func (t *tester) and(depth int) status {
	s := t.term(depth)
	for t.next("-a") {
		s = both(s, t.term(depth))
	}
	return s
}

func (t *tester) term(depth int) status {
	if depth > maxTest {
		t.lost = true
		return either
	}
	switch args := t.args; {
	case len(args) == 0:
		return t.fail()
	case t.next("!"):
		return t.term(depth + 1).not()
	case t.next("("):
		s := t.or(depth + 1)
		if !t.next(")") {
			return t.fail()
		}
		return s
	case len(args) >= 3 && binaryTests[litOf(args[1])]:
		t.args = args[3:]
		return t.binary(args[0], litOf(args[1]), args[2])
	case unary(args[0]):
		if len(args) < 2 {
			t.lost = true
			return either
		}
		t.args = args[2:]
		return t.unary(args[0], args[1])
	default:
		t.args = args[1:]
		return emptiness("-n", args[0])
	}
}

// binaryTests are the operators of test between two words.
var binaryTests = words("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")

// unary tells whether a word is an operator of test before another.
func unary(w access.Word) bool {
	op := litOf(w)
	return len(op) == 2 && op[0] == '-' && strings.IndexByte(fileTests+"nztvoR", op[1]) >= 0
}

func (t *tester) unary(op, w access.Word) status {
	switch lit := litOf(op); lit {
	case "-n", "-z":
		return emptiness(lit, w)
	}
	return either // of files, or of the shell
}

func (t *tester) binary(a access.Word, op string, b access.Word) status {
	switch op {
	case "-nt", "-ot", "-ef":
		return either
	case "==":
		if !t.bash && !t.st.zsh {
			return either // dash knows no such operator
		}
	case "<", ">":
		v, ok := a.Lit()
		w, ok2 := b.Lit()
		if !ok || !ok2 || !t.bash {
			return either
		}
		return truthOf(v < w && op == "<" || v > w && op == ">")
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		for _, n := range []access.Word{a, b} {
			lit, ok := n.Lit()
			if _, err := strconv.Atoi(strings.TrimSpace(lit)); ok && err != nil {
				if strings.Trim(lit, "0123456789") == "" && lit != "" {
					return either // a very large number
				}
				return t.fail()
			}
		}
		a, b = trimmed(a), trimmed(b)
	}
	return compare(op, a, b)
}

func trimmed(w access.Word) access.Word {
	if lit, ok := w.Lit(); ok {
		return access.Text(strings.TrimSpace(lit))
	}
	return w
}

// collated compares two texts as [[ a < b ]] does, by the order of the language:
// that is known for the one of C, and for words of small letters or of digits in
// English.
func (x *run) collated(st *state, op string, a, b access.Word) status {
	v, ok := a.Lit()
	w, ok2 := b.Lit()
	if !ok || !ok2 || st.zsh {
		return either
	}
	order := ""
	for _, name := range []string{"LC_ALL", "LC_COLLATE", "LANG"} {
		value := (&env{x: x, st: st}).Get(name)
		lit, known := value.Scalar.Lit()
		if value.State == word.Unknown || value.State == word.Set && !known {
			return either
		}
		if value.State == word.Set && lit != "" {
			order = lit
			break
		}
	}
	lang, _, _ := strings.Cut(order, ".")
	switch {
	case lang == "" || lang == "C" || lang == "POSIX":
	case strings.HasPrefix(lang, "en_"):
		both := v + w
		if strings.Trim(both, "0123456789") != "" && strings.Trim(both, "abcdefghijklmnopqrstuvwxyz") != "" {
			return either
		}
	default:
		return either
	}
	return truthOf(v < w && op == "<" || v > w && op == ">")
}
