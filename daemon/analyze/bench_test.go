package analyze

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"extdir/daemon/command"
)

// nowhere is a file system without files: benchmarks measure the analyzer alone.
type nowhere struct{}

func (nowhere) Lstat(string) (fs.FileInfo, error)     { return nil, fs.ErrNotExist }
func (nowhere) Readlink(string) (string, error)       { return "", fs.ErrNotExist }
func (nowhere) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }

// typical are the lines that make bench measures as well.
func typical(b *testing.B) (lines []string) {
	text, err := os.ReadFile("../../integration/bench/lines.txt")
	if err != nil {
		b.Fatal(err)
	}
	for l := range strings.SplitSeq(string(text), "\n") {
		if l != "" && l[0] != '#' {
			lines = append(lines, l)
		}
	}
	return lines
}

func BenchmarkAnalyze(b *testing.B) {
	table, err := command.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	a := &Analyzer{FS: nowhere{}, Commands: table, OS: "linux"}
	var reqs []Request
	for _, l := range typical(b) {
		reqs = append(reqs, request(l))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Analyze(reqs[i%len(reqs)])
	}
}
