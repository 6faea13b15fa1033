package analyze

import (
	"io/fs"
	"testing"

	"extdir/daemon/command"
)

// nowhere is a file system without files: benchmarks measure the analyzer alone.
type nowhere struct{}

func (nowhere) Lstat(string) (fs.FileInfo, error)     { return nil, fs.ErrNotExist }
func (nowhere) Readlink(string) (string, error)       { return "", fs.ErrNotExist }
func (nowhere) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }

var typical = []string{
	`ls -la`, `cd src && ls`, `git status --short`, `git diff HEAD~1 -- daemon/`, `cat README.md | head -20`,
	`grep -rn "func Analyze" --include='*.go' .`, `go test ./... 2>&1 | tail -30`, `npm run build && npm test`,
	`find . -name '*.ts' -not -path './node_modules/*' | xargs wc -l`, `sed -n '1,80p' src/main.go`,
	`for f in *.md; do echo "$f"; done`, `mkdir -p build && cp -r src build/`, `docker compose up -d`,
	`curl -s https://example.org/api | jq '.items[0]'`, `python3 -c 'print(1+1)'`, `echo "done" > out.txt`,
	`cd /p/app && make -j4 test`, `x=$(git rev-parse HEAD); echo "$x"`, `test -f package.json && cat package.json`,
	"cat > notes.md <<'E'\nsome text\nE",
}

func BenchmarkAnalyze(b *testing.B) {
	table, err := command.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	a := &Analyzer{FS: nowhere{}, Commands: table, OS: "linux"}
	reqs := make([]Request, len(typical))
	for i, l := range typical {
		reqs[i] = request(l)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Analyze(reqs[i%len(reqs)])
	}
}
