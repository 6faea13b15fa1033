package hook_test

import (
	"strings"
	"testing"
	"time"

	"extdir/integration/term"
)

// TestTerminal: what counts as an answer to a question at the terminal. A step of
// typing is how long to wait, and what to type then; the first counts from the
// moment the question is seen.
func TestTerminal(t *testing.T) {
	const ms = time.Millisecond
	type step struct {
		wait time.Duration
		keys string
	}
	typing := func(every time.Duration, first time.Duration, line string) []step {
		steps := []step{{first, line[:1]}}
		for _, k := range line[1:] {
			steps = append(steps, step{every, string(k)})
		}
		return steps
	}
	const open = "" // the question stands
	for _, c := range []struct {
		name, offer string
		steps       []step
		choice      string
		shows       string
		hides       string
	}{
		{"y", "", []step{{700 * ms, "y"}}, "once", "y once · s for this session · n no", "by itself"},
		{"Y", "", []step{{700 * ms, "Y"}}, "once", "", ""},
		{"s", "", []step{{700 * ms, "s"}}, "session", "", ""},
		{"n", "", []step{{700 * ms, "n"}}, "deny", "", ""},
		{"s that is offered", "once session", []step{{700 * ms, "s"}}, "session", "", ""},
		{"s that is not offered", "once", []step{{700 * ms, "s"}}, open, "y once · n no", "session"},
		{"y where it is not offered", "session", []step{{700 * ms, "y"}}, open, "s for this session · n no", "once"},
		{"too early", "", []step{{100 * ms, "y"}}, open, "by itself", ""},
		{"too early, and once more", "", []step{{100 * ms, "y"}, {900 * ms, "y"}}, "once", "", ""},
		{"two at a time", "", []step{{700 * ms, "yy"}}, open, "", ""},
		{"the next line", "", typing(50*ms, 700*ms, "yarn build\r"), open, "by itself", ""},
		{"the next line, slowly", "", typing(300*ms, 700*ms, "yarn\r"), open, "", ""},
		{"the next line, ending in an answer", "", typing(300*ms, 700*ms, "ls y"), open, "", ""},
		{"an arrow", "", []step{{700 * ms, "\x1b[A"}, {700 * ms, "y"}}, "once", "", ""},
		{"another key", "", []step{{700 * ms, "x"}, {700 * ms, "q"}, {700 * ms, "y"}}, "once", "one key by itself answers", ""},
		{"Ctrl-C", "", []step{{700 * ms, "\x03"}}, "deny", "", ""},
		{"Ctrl-C at once", "", []step{{0, "\x03"}}, "deny", "", ""},
		{"Ctrl-D at once", "", []step{{0, "\x04"}}, "deny", "", ""},
		{"Ctrl-C behind other keys", "", []step{{100 * ms, "yarn\x03"}}, "deny", "", ""},
		{"Ctrl-C takes an answer back", "", []step{{700 * ms, "y"}, {100 * ms, "\x03"}}, "deny", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := term.NewDaemon(t)
			d.SetWait(20 * time.Second)
			d.SetOffer(c.offer)
			tt := term.Start(t, term.Options{Dir: term.TempDir(t), Env: []string{"EXTDIR_LINE=ASKTTY"}, Quiet: true},
				"sh", "-c", builds["plain"]+` socket="$1" check; echo "status $?"`, "sh", d.Socket)
			tt.WaitText(0, "n no  ")
			for _, s := range c.steps {
				time.Sleep(s.wait)
				tt.Type(s.keys)
			}
			if c.choice == open {
				time.Sleep(900 * time.Millisecond)
				if got := d.Requests("answer"); len(got) != 0 {
					t.Fatalf("answered %q; screen:\n%s", got[0].Get("choice"), tt.Screen())
				}
				tt.Type("\x03")
			}
			want := c.choice
			if want == open {
				want = "deny"
			}
			if have := d.WaitFor("answer").Get("choice"); have != want {
				t.Errorf("choice: have %q, want %q", have, want)
			}
			text := tt.WaitText(0, "status ")
			if ok := strings.Contains(text, "status 0"); ok != (want != "deny") {
				t.Errorf("%s", text)
			}
			if !strings.Contains(text, c.shows) || c.hides != "" && strings.Contains(text, c.hides) || strings.Count(text, "by itself") > 1 {
				t.Errorf("%s", text)
			}
		})
	}
}
