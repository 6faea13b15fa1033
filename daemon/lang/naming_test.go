package lang

import (
	"strings"
	"testing"
)

func TestTextual(t *testing.T) {
	for name, want := range map[string]bool{
		"toUrl": true, "to_url": true, "toURL": true, "URLFor": true, "match_route": true, "normalizePath": true,
		"parseRoutes": true, "escape": true, "slugify": true,
		"": false, "parse": false, "load": false, "fromUrlFile": false, "readUrl": false, "load_routes": false, "routesFromConfig": false,
		"curl": false, "outer": false, "openURL": false, "urlopen": false, "process": false, "f": false,
	} {
		if got := textual(name); got != want {
			t.Errorf("%s %q: %v", name, nameWords(name), got)
		}
	}
	for name, want := range map[string]string{
		"toURL": "to url", "HTTPServer": "http server", "a_b__c": "a b c", "getX2Y": "get x2y", "XMLHttpRequest2": "xml http request2",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
