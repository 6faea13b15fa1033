package hook

// Take reads the options of the hook among words, and returns the other words.
func Take(words []string) (o Options, rest []string) {
	c := &call{}
	for _, w := range words {
		if !c.word(w) {
			rest = append(rest, w)
		}
	}
	return c.Options, rest
}
