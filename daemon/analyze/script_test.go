package analyze

import "testing"

// What a script does with its arguments isn't known: those that lead out are guesses,
// whoever runs it.
func TestScriptArguments(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]string{
		"./run.sh /etc/hosts":                         "r /etc/hosts, w /etc/hosts",
		"bash run.sh /etc/hosts":                      "r /etc/hosts, w /etc/hosts",
		"sh -x ./run.sh --in=/etc/hosts":              "r /etc/hosts, w /etc/hosts",
		"zsh run.sh ../other":                         "r /p/other, w /p/other",
		"env A=b timeout 9 bash run.sh ../other":      "r /p/other, w /p/other",
		". ./run.sh /etc/hosts":                       "r /etc/hosts, w /etc/hosts",
		"sh -c '. ./run.sh' _ /etc/hosts":             "r /etc/hosts, w /etc/hosts",
		"bash ../other/run.sh":                        "x /p/other/run.sh",
		". ../other/run.sh":                           "x /p/other/run.sh",
		"bash run.sh":                                 "",
		"bash run.sh src a/b --level=3 text":          "",
		"bash run.sh https://h/etc/x":                 "",
		`echo 'cat "$1"' >s.sh; bash s.sh /etc/hosts`: "r /etc/hosts",
		`echo 'echo "$1"' >s.sh; bash s.sh /etc/x`:    "",
	} {
		if got := found(a.Analyze(request(line))); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
