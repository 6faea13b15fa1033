package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// From the file on disk to a policy in force.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			var s strings.Builder
			s.WriteString(`{"permission": {"external_directory": {`)
			for i := range n {
				fmt.Fprintf(&s, "\"/srv/d%d/sub/*\": \"allow\",\n", i)
			}
			s.WriteString(`}}}`)
			file := filepath.Join(b.TempDir(), "config.json")
			if err := os.WriteFile(file, []byte(s.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				c, problems := Load(Options{File: file, Home: "/home/u"})
				if len(problems) > 0 {
					b.Fatal(problems)
				}
				c.Policy("/code/app", "")
			}
		})
	}
}

// What a line pays for its rules.
func BenchmarkPolicy(b *testing.B) {
	c, _ := Load(Options{Home: "/home/u"})
	for b.Loop() {
		c.Policy("/code/app", "claude")
	}
}
