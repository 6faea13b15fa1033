package lang

import "testing"

// BenchmarkReaders reads what people and agents write on a line.
func BenchmarkReaders(b *testing.B) {
	for _, c := range []struct{ name, code string }{
		{"sed", "/^func classify/,/^}/p"},
		{"awk", `$NF > 1000 {print $1 > "/tmp/slow.txt"}`},
		{"python", "import json,sys; d=json.load(open('package.json')); print(d['version'], list(d['scripts']))"},
		{"javascript", `console.log(require("./package.json").version)`},
		{"jq", `.[] | select(.path | test("^/tmp/")) | .id`},
	} {
		b.Run(c.name, func(b *testing.B) {
			read, _ := Lookup(c.name)
			w := program(c.code)
			for b.Loop() {
				read(w, &quiet{})
			}
		})
	}
}
