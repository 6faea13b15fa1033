// Package corpus holds the labelled command lines against which the analyzer is
// measured: their reader, the tree they assume, and the scorer.
//
// A case says which paths outside the working directory a line would touch. The
// scorer compares an answer's paths with them as sets and counts, besides exact
// answers, the two faults people don't forgive: an alarm (a needless prompt) and
// a silent line (a prompt that doesn't come).
package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"sort"
	"strings"
)

// Case is one labelled line.
type Case struct {
	ID       string   `json:"id"`
	Cmd      string   `json:"cmd"`
	Expect   []string `json:"expect"`
	Optional []string `json:"optional"` // neither right nor wrong in an answer
	Dynamic  bool     `json:"dynamic"`  // some path can't be known from the line
	Kind     string   `json:"kind"`
}

// Answer is what an analyzer says of a case.
type Answer struct {
	ID      string   `json:"id"`
	Paths   []string `json:"paths"`
	Dynamic bool     `json:"dynamic"`
	Verdict string   `json:"verdict"`
}

// Read reads a file of JSON lines into values of type T.
func Read[T any](name string) ([]T, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Decode[T](f, name)
}

// Decode is Read from an open stream; name is for error messages.
func Decode[T any](r io.Reader, name string) ([]T, error) {
	var out []T
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 64<<20)
	for n := 1; sc.Scan(); n++ {
		if len(strings.TrimSpace(sc.Text())) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		out = append(out, v)
	}
	return out, sc.Err()
}

// Tally counts over a set of cases.
type Tally struct {
	Cases, Exact        int
	Right, Given, Want  int
	False, Missed       int
	Alarm, Silent       int
	Unanswered, Dynamic int
}

// ExactShare is the share of exact cases; 1 for none.
func (t Tally) ExactShare() float64 { return share(t.Exact, t.Cases) }

// Precision is right paths by paths given; Recall by paths wanted.
func (t Tally) Precision() float64 { return share(t.Right, t.Given) }

// Recall is right paths by paths wanted.
func (t Tally) Recall() float64 { return share(t.Right, t.Want) }

func share(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func (t Tally) String() string {
	return fmt.Sprintf("cases %d exact %.4f precision %.4f recall %.4f false %d missed %d alarm %d silent %d unanswered %d",
		t.Cases, t.ExactShare(), t.Precision(), t.Recall(), t.False, t.Missed, t.Alarm, t.Silent, t.Unanswered)
}

// Fault is one case that isn't exact.
type Fault struct {
	Case           Case
	False, Missed  []string
	Alarm, Silent  bool
	Dynamic, Given bool
}

func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%q", f.Case.ID, f.Case.Cmd)
	if !f.Given {
		b.WriteString("\tno answer")
	}
	for _, p := range f.False {
		b.WriteString("\tfalse " + p)
	}
	for _, p := range f.Missed {
		b.WriteString("\tmissed " + p)
	}
	if f.Dynamic {
		b.WriteString("\tdynamic")
	}
	if f.Alarm {
		b.WriteString("\tALARM")
	}
	if f.Silent {
		b.WriteString("\tSILENT")
	}
	return b.String()
}

// Total is the key of the tally over all kinds.
const Total = "total"

// Score judges answers. The tallies are by kind, and in all under Total.
// Of several answers to one id the last counts; a case without an answer is wrong.
func Score(cases []Case, answers []Answer) (map[string]*Tally, []Fault) {
	byID := make(map[string]*Answer, len(answers))
	for i := range answers {
		byID[answers[i].ID] = &answers[i]
	}
	tallies := map[string]*Tally{Total: {}}
	var faults []Fault
	for _, c := range cases {
		if tallies[c.Kind] == nil {
			tallies[c.Kind] = &Tally{}
		}
		f, exact := judge(c, byID[c.ID], []*Tally{tallies[c.Kind], tallies[Total]})
		if !exact {
			faults = append(faults, f)
		}
	}
	return tallies, faults
}

func judge(c Case, a *Answer, tallies []*Tally) (Fault, bool) {
	want, optional := cleanSet(c.Expect), cleanSet(c.Optional)
	var raw map[string]bool
	dynamic, stops := false, false
	if a != nil {
		raw = cleanSet(a.Paths)
		dynamic = a.Dynamic
		stops = (a.Verdict == "prompt" || a.Verdict == "block") && len(a.Paths) == 0
	}
	given := map[string]bool{}
	extra := false
	for p := range raw {
		if anySame(p, want) {
			given[p] = true
			continue
		}
		neutral := false
		for o := range optional {
			neutral = neutral || !want[o] && same(p, o)
		}
		given[p] = !neutral
		if neutral {
			delete(given, p)
			extra = true
		}
	}
	f := Fault{Case: c, Dynamic: dynamic, Given: a != nil}
	for p := range given {
		if !anySame(p, want) {
			f.False = append(f.False, p)
		}
	}
	for w := range want {
		found := false
		for p := range given {
			found = found || same(p, w)
		}
		if !found {
			f.Missed = append(f.Missed, w)
		}
	}
	sort.Strings(f.False)
	sort.Strings(f.Missed)
	var exact bool
	switch {
	case a == nil:
	case c.Dynamic:
		exact = (dynamic || stops || extra) && len(f.False) == 0 && len(f.Missed) == 0
	case dynamic:
		exact = len(f.False) == 0 && len(f.Missed) < len(want)
	default:
		exact = len(f.False) == 0 && len(f.Missed) == 0
	}
	if len(want) == 0 && !c.Dynamic {
		f.Alarm = len(given) > 0 || (dynamic || stops) && len(optional) == 0
	} else {
		f.Silent = len(raw) == 0 && !dynamic && !stops
	}
	for _, t := range tallies {
		t.Cases++
		t.Exact += count(exact)
		t.Right += len(want) - len(f.Missed)
		t.Given += len(want) - len(f.Missed) + len(f.False)
		t.Want += len(want)
		t.False += count(len(f.False) > 0)
		t.Missed += count(len(f.Missed) > 0)
		t.Alarm += count(f.Alarm)
		t.Silent += count(f.Silent)
		t.Unanswered += count(a == nil)
		t.Dynamic += count(dynamic)
	}
	return f, exact
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func cleanSet(paths []string) map[string]bool {
	out := make(map[string]bool, len(paths))
	for _, p := range paths {
		if p != "" {
			p = path.Clean(p)
		}
		out[p] = true
	}
	return out
}

func anySame(p string, set map[string]bool) bool {
	for w := range set {
		if same(p, w) {
			return true
		}
	}
	return false
}

// same: a glob may be answered as written, by its fixed directory, or by what it
// matches; and the other way round.
func same(given, want string) bool {
	if given == want {
		return true
	}
	g, w := fixed(given) != given, fixed(want) != want
	if w && (given == fixed(want) || matches(want, given)) {
		return true
	}
	if g && matches(given, want) {
		return true
	}
	return g && w && fixed(given) == fixed(want)
}

// fixed is the directory of a glob before its first pattern character.
func fixed(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if strings.ContainsAny(part, "*?[") {
			if d := strings.Join(parts[:i], "/"); d != "" {
				return d
			}
			return "/"
		}
	}
	return p
}

// matches holds a glob against a path, component by component; "DIR/*" also
// takes DIR and all below it.
func matches(pattern, p string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/*"); ok {
		whole := dir
		if whole == "" {
			whole = "/"
		}
		if fixed(pattern) == whole {
			return p == whole || strings.HasPrefix(p, dir+"/")
		}
	}
	a, b := strings.Split(pattern, "/"), strings.Split(p, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !component(a[i]).MatchString(b[i]) {
			return false
		}
	}
	return true
}

var components = map[string]*regexp.Regexp{}

// component translates the pattern of one path component. Not for concurrent use.
func component(pattern string) *regexp.Regexp {
	if re := components[pattern]; re != nil {
		return re
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		case '[':
			end := strings.IndexByte(pattern[min(i+2, len(pattern)):], ']')
			if end < 0 {
				b.WriteString(`\[`)
				continue
			}
			set := pattern[i+1 : i+2+end]
			i += 2 + end
			b.WriteByte('[')
			if set[0] == '!' {
				b.WriteByte('^')
				set = set[1:]
			}
			b.WriteString(strings.NewReplacer(`\`, `\\`, `^`, `\^`, `[`, `\[`).Replace(set))
			b.WriteByte(']')
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil {
		re = regexp.MustCompile(`\A` + regexp.QuoteMeta(pattern) + `\z`)
	}
	components[pattern] = re
	return re
}
