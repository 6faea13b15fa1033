package integration

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"extdir/integration/corpus"
)

// batch answers lines of JSON with `extdird explain --batch` on the fixture tree.
func batch(t *testing.T, input []byte, args ...string) []corpus.Answer {
	t.Helper()
	tree := t.TempDir()
	if err := corpus.Fixture(tree); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(extdird(), append([]string{"explain", "--batch", "--fs-root", tree}, args...)...)
	cmd.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("explain --batch: %v\n%s", err, errs.Bytes())
	}
	answers, err := corpus.Decode[corpus.Answer](bytes.NewReader(out), "answers")
	if err != nil {
		t.Fatal(err)
	}
	return answers
}

// A bar is what a corpus must reach; -1 leaves a column open.
type bar struct {
	exact             float64
	alarms, unanswers int
}

// The bars are ratchets: they are raised with the figures, never lowered. What
// they are measured on is a sample, so a line is never mended by itself.
func TestCorpora(t *testing.T) {
	bars := map[string]map[string]bar{
		"agent":      {corpus.Total: {1, 0, 0}},
		"tldr":       {"ext": {0.999, -1, 0}, "int": {0.998, -1, 0}, "decoy": {1, 0, 0}},
		"seed-suite": {corpus.Total: {1, 0, 0}},
		"confirm":    {corpus.Total: {1, 0, 0}},
		"bugs":       {corpus.Total: {1, 0, 0}},
		"redteam":    {corpus.Total: {1, 0, 0}},
		"own":        {"ext": {1, -1, 0}, "int": {0.99, 1, 0}, "decoy": {1, 0, 0}},
		"unseen":     {"ext": {1, 0, 0}, "int": {1, 0, 0}, "decoy": {0.85, 7, 0}},
		"frames":     {corpus.Total: {1, 0, 0}},
	}
	for name, kinds := range bars {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "corpus", name+"-dev.jsonl")
			input, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cases, err := corpus.Read[corpus.Case](file)
			if err != nil {
				t.Fatal(err)
			}
			tallies, faults := corpus.Score(cases, batch(t, input))
			t.Log(tallies[corpus.Total])
			failed := false
			for kind, b := range kinds {
				got := tallies[kind]
				if got == nil {
					t.Fatalf("no cases of kind %q", kind)
				}
				if got.ExactShare() < b.exact {
					failed = true
					t.Errorf("%s: exact %.4f, must be at least %.4f", kind, got.ExactShare(), b.exact)
				}
				if got.Silent > 0 {
					failed = true
					t.Errorf("%s: %d lines are allowed without a word that touch something outside", kind, got.Silent)
				}
				if b.alarms >= 0 && got.Alarm > b.alarms {
					failed = true
					t.Errorf("%s: %d alarms, at most %d", kind, got.Alarm, b.alarms)
				}
				if got.Unanswered > b.unanswers {
					failed = true
					t.Errorf("%s: %d lines without an answer", kind, got.Unanswered)
				}
			}
			if failed {
				for i, f := range faults {
					if i == 60 {
						t.Logf("… and %d more", len(faults)-i)
						break
					}
					t.Log(f)
				}
			}
		})
	}
}
