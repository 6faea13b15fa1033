package command

import "strings"

// lineWords begin a line.
var lineWords = []string{
	"usage", "when", "sub", "parse", "unknown", "like", "extend", "final", "also", "stdin", "then",
	"self", "unjudged", "writes", "loads", "try", "on", "or an option with its dash",
}

// offer is the name that was probably meant, or all of them.
func offer(name string, among []string) string {
	best, at := 3, ""
	for _, n := range among {
		if d := distance(name, n); d < best && d < len(n) {
			best, at = d, n
		}
	}
	if at != "" {
		return at
	}
	return strings.Join(among, ", ")
}

// distance counts the letters to insert, drop or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
