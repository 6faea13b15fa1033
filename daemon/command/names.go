package command

import "strings"

// also is which names a command has besides those that its spec writes.
type also uint8

const (
	alsoVersion also = 1 << iota // NAMEVERSION, NAME-VERSION: python3.12, gcc-13
	alsoTriplet                  // TRIPLET-NAME: aarch64-linux-gnu-gcc
)

// byOtherName looks a name up without the version behind it and the target before
// it. Only what says so has such names: cat2 need not be cat.
func (t *Table) byOtherName(name string) (*spec, bool) {
	bare := withoutVersion(name)
	if s, ok := t.specs[bare]; ok && bare != name && s.also&alsoVersion != 0 {
		return s, true
	}
	need := alsoTriplet
	if bare != name {
		need |= alsoVersion
	}
	// Triplets have two to four parts (config.guess): arm-none-eabi, x86_64-w64-mingw32.
	for rest, parts := bare, 1; ; parts++ {
		_, after, ok := strings.Cut(rest, "-")
		if !ok || parts > 4 {
			return nil, false
		}
		rest = after
		if s, ok := t.specs[rest]; ok && parts > 1 && s.also&need == need {
			return s, true
		}
	}
}

// withoutVersion cuts a version off the end: digits and dots, perhaps behind a dash.
func withoutVersion(name string) string {
	bare := strings.TrimRight(name, "0123456789.")
	if bare == name || strings.HasSuffix(name, ".") || name[len(bare)] == '.' {
		return name
	}
	return strings.TrimSuffix(bare, "-")
}
