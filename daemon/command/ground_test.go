package command

import (
	"strings"
	"testing"

	"extdir/daemon/access"
)

// explain runs an example and lists what leaves its folder.
func explain(tb testing.TB, t *Table, os, line string, disk ...string) []string {
	tb.Helper()
	out, err := t.example(os, line, disk...)
	if err != nil {
		tb.Fatalf("%s: %v", line, err)
	}
	return out
}

// formed is a ground that writes the forms down.
type formed struct {
	exampleGround
	forms *[]string
}

func (g formed) Form(argv []access.Word) {
	var words []string
	for _, w := range argv {
		words = append(words, w.String())
	}
	*g.forms = append(*g.forms, strings.Join(words, " "))
}

// TestForms: the subcommand is named without the options in front of it.
func TestForms(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"git push":                       "",
		"git push -f":                    "",
		"git -C a -c b=c push -f":        "git push -f",
		"/usr/bin/git --no-pager push x": "git push x",
		"kubectl -n a delete pod b":      "kubectl delete pod b",
		"docker --context x run -it y":   "docker run -it y",
		"git -C . remote -v add a b":     "git remote -v add a b; git remote add a b",
		"cat -n push":                    "",
		"npm --prefix web run build":     "npm run build",
		"git -C . nobody-knows-this -x":  "git nobody-knows-this -x",
		"terraform -chdir=infra destroy": "terraform destroy",
	} {
		var words []access.Word
		for _, w := range strings.Fields(line) {
			words = append(words, access.Text(w))
		}
		var forms []string
		g := formed{exampleGround{book: &book{table: table, os: "linux", got: map[string]bool{}, disk: map[string]bool{}}}, &forms}
		table.Run(words, g)
		if got := strings.Join(forms, "; "); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
