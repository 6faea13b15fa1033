package guard

import "fmt"

// Limit names one budget.
type Limit uint8

const (
	Line         Limit = iota // bytes of a text handed to the parser
	Frames                    // call frames the parser may stack up
	NestDepth                 // texts inside texts: eval, bash -c, source, trap
	NestBytes                 // bytes of nested texts in all
	Statements                // statements walked
	States                    // states kept side by side
	Alternatives              // readings of one word
	Fields                    // fields of one word, braces counted before they are expanded
	Value                     // bytes of one value
	Values                    // bytes of all values
	Calls                     // functions inside functions
	Items                     // rounds of one loop over known items
	Rounds                    // rounds of all loops that are told one by one
	Files                     // questions to the file system
	Patterns                  // pattern operations
	Steps                     // steps of the expander
	limits
)

// limit is the allowance and how an overrun reads. The figures were set against the
// lines of the corpora and daily work, which stay far below, and against the time an
// overrun takes: none may cost more than some tens of milliseconds.
var limit = [limits]struct {
	max    int
	reason string
}{
	// Bytes. 64 KB take the parser some 30 ms, four times that is the most one waits.
	Line: {256 << 10, "longer than %d bytes"},
	// Call frames of the parser: some 55 levels of $((, 280 of if; a stack below 1 MB.
	Frames: {1500, "nested too deep to parse (%d call frames)"},
	// Levels. Nobody nests shells by hand more than four or five deep.
	NestDepth: {20, "more than %d shells or evals inside each other"},
	// Bytes: the texts of a line together are allowed what the line is.
	NestBytes: {256 << 10, "nested texts of more than %d bytes"},
	// Statements walked, each time anew in a loop or function: some 20 ms.
	Statements: {20_000, "more than %d statements to follow"},
	// States. One more is joined with the others, and what differs becomes unknown:
	// no reason is lost, so that it isn't an overrun.
	States: {8, "more than %d possible states of the shell"},
	// Readings of one word: four variables with a default each.
	Alternatives: {16, "more than %d readings of one word"},
	// Words, the braces of a word multiplied before they are made.
	Fields: {4096, "a word of more than %d fields"},
	// Bytes: more than any path or option, less than a doubling loop needs to hurt.
	Value: {64 << 10, "a value of more than %d bytes"},
	// Bytes ever assigned: it bounds the daemon's memory for one line.
	Values: {1 << 20, "values of more than %d bytes in all"},
	// Calls. Recursion with an end is rare in a line, and shallow.
	Calls: {40, "functions more than %d calls deep"},
	// Rounds: what a person lists in a for loop, or a seq of real use.
	Items: {200, "a loop over more than %d items"},
	// Rounds. Loops in loops multiply: what is beyond is judged in one, with all that
	// differs unknown, so that it isn't an overrun.
	Rounds: {1000, "more than %d rounds of loops"},
	// System calls: 1 µs each.
	Files: {2000, "more than %d questions to the file system"},
	// Directories listed and compared with a component of a glob.
	Patterns: {1000, "more than %d pattern operations"},
	// Parts of words expanded, and 64 bytes of values: 0.1 µs each.
	Steps: {200_000, "more than %d steps of expansion"},
}

// Budget is what judging one line may cost. Each overrun is remembered once, as
// a reason to show a person: a line that costs too much is unknown, never harmless.
//
// A nil Budget spends nothing and only knows the limits. A Budget serves one line
// at a time; it isn't safe for concurrent use.
type Budget struct {
	used [limits]int
	over [limits]bool
	why  []string
}

// Max is the allowance of l.
func Max(l Limit) int { return limit[l].max }

// Spend takes n from l for good. It is false once l is used up.
func (b *Budget) Spend(l Limit, n int) bool {
	if b == nil {
		return n <= limit[l].max
	}
	if n < 0 || n > limit[l].max-b.used[l] {
		b.used[l] = limit[l].max
		b.Exceed(l)
		return false
	}
	b.used[l] += n
	return true
}

// Take is Spend for what can be judged in another, less exact way: that l is used
// up is no overrun.
func (b *Budget) Take(l Limit, n int) bool {
	return b != nil && n <= limit[l].max-b.used[l] && b.Spend(l, n)
}

// Enter goes one level deeper in l. If it is true, Leave must follow.
func (b *Budget) Enter(l Limit) bool {
	if b == nil {
		return true
	}
	if b.used[l] >= limit[l].max {
		b.Exceed(l)
		return false
	}
	b.used[l]++
	return true
}

// Leave ends a level that Enter began.
func (b *Budget) Leave(l Limit) {
	if b != nil {
		b.used[l]--
	}
}

// Fits tells whether a single thing of size n is within l.
func (b *Budget) Fits(l Limit, n int) bool {
	if n <= limit[l].max {
		return true
	}
	if b != nil {
		b.Exceed(l)
	}
	return false
}

// Exceed remembers that l was overrun.
func (b *Budget) Exceed(l Limit) {
	if b == nil || b.over[l] {
		return
	}
	b.over[l] = true
	b.why = append(b.why, reason(l))
}

// Over are the reasons of all overruns so far, in order, each once.
func (b *Budget) Over() []string {
	if b == nil {
		return nil
	}
	return b.why
}

func reason(l Limit) string { return fmt.Sprintf(limit[l].reason, limit[l].max) }
