package corpus

import "testing"

// The rules of the scorer, one a line: a wrong scorer would make every figure of
// the project wrong.
func TestScore(t *testing.T) {
	tests := []struct {
		name    string
		c       Case
		a       *Answer
		exact   bool
		alarm   bool
		silent  bool
		missing int
	}{
		{"same set", Case{Expect: []string{"/etc/a", "/b"}}, &Answer{Paths: []string{"/b", "/etc//x/../a"}}, true, false, false, 0},
		{"nothing expected, nothing said", Case{}, &Answer{}, true, false, false, 0},
		{"nothing expected, a path", Case{}, &Answer{Paths: []string{"/x"}}, false, true, false, 0},
		{"nothing expected, dynamic", Case{}, &Answer{Dynamic: true}, false, true, false, 0},
		{"optional is neutral", Case{Optional: []string{"/x"}}, &Answer{Paths: []string{"/x"}}, true, false, false, 0},
		{"missed", Case{Expect: []string{"/a"}}, &Answer{}, false, false, true, 1},
		{"missed one of two", Case{Expect: []string{"/a", "/b"}}, &Answer{Paths: []string{"/a"}}, false, false, false, 1},
		{"dynamic names one of two", Case{Expect: []string{"/a", "/b"}}, &Answer{Paths: []string{"/a"}, Dynamic: true}, true, false, false, 1},
		{"dynamic alone", Case{Expect: []string{"/a"}}, &Answer{Dynamic: true}, false, false, false, 1},
		{"dynamic expected", Case{Dynamic: true}, &Answer{Dynamic: true}, true, false, false, 0},
		{"dynamic expected, verdict says it", Case{Dynamic: true}, &Answer{Verdict: "prompt"}, true, false, false, 0},
		{"dynamic expected, not said", Case{Dynamic: true}, &Answer{}, false, false, true, 0},
		{"glob as written", Case{Expect: []string{"/etc/*.conf"}}, &Answer{Paths: []string{"/etc/*.conf"}}, true, false, false, 0},
		{"glob by its directory", Case{Expect: []string{"/etc/*.conf"}}, &Answer{Paths: []string{"/etc"}}, true, false, false, 0},
		{"glob by what it matches", Case{Expect: []string{"/etc/*.conf"}}, &Answer{Paths: []string{"/etc/a.conf"}}, true, false, false, 0},
		{"glob by something else", Case{Expect: []string{"/etc/*.conf"}}, &Answer{Paths: []string{"/srv/a.conf"}}, false, false, false, 1},
		{"tree glob takes what lies deeper", Case{Expect: []string{"/srv/a/b"}}, &Answer{Paths: []string{"/srv/*"}}, true, false, false, 0},
		{"no answer", Case{}, nil, false, false, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var answers []Answer
			if tt.a != nil {
				answers = []Answer{*tt.a}
			}
			tallies, faults := Score([]Case{tt.c}, answers)
			got := tallies[Total]
			if exact := got.Exact == 1; exact != tt.exact {
				t.Errorf("exact = %v, want %v (%v)", exact, tt.exact, faults)
			}
			if got.Alarm != count(tt.alarm) || got.Silent != count(tt.silent) {
				t.Errorf("alarm %d silent %d, want %v %v", got.Alarm, got.Silent, tt.alarm, tt.silent)
			}
			if missing := got.Want - got.Right; missing != tt.missing {
				t.Errorf("%d paths missed, want %d", missing, tt.missing)
			}
		})
	}
}
