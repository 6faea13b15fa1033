package lang

import (
	"strings"
	"unicode"
)

// What a function of the project itself does with its arguments isn't known; that a
// string that looks like a path is one is then the safe reading. Some names say
// otherwise: who calls toUrl("/etc/../a") or match_route("/api/users") tries out what
// it makes of text. One word that stands for files in the name outweighs them.
var (
	textWords = set("url urls uri uris href route routes router routing endpoint endpoints slug slugs slugify normalize " +
		"normalized normalise canonical canonicalize escape escaped unescape encode encoded decode decoded regex regexp " +
		"redirect redirects pathname permalink querystring breadcrumb breadcrumbs")
	fileWords = set("file files filename dir dirs directory directories folder folders disk fs read write load open save " +
		"store import require include exec execute run spawn system stat exists copy move rename remove delete unlink rm " +
		"mkdir watch glob list scan walk find config configure configuration source mount upload download fetch backup " +
		"restore dump extract archive compress zip tar touch chmod chown link symlink ingest process")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// textual tells whether a function's name says that its arguments are text.
func textual(name string) bool {
	text := false
	for _, w := range nameWords(name) {
		if fileWords[w] {
			return false
		}
		text = text || textWords[w]
	}
	return text
}

// nameWords takes a name apart: to_url, toUrl, toURL and TO_URL are all "to", "url".
func nameWords(name string) (words []string) {
	var b strings.Builder
	end := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])):
			end()
		}
		b.WriteRune(unicode.ToLower(r))
	}
	end()
	return words
}
