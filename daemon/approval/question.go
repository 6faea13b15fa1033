package approval

import (
	"fmt"
	"path/filepath"
	"strings"

	"extdir/daemon/access"
	"extdir/daemon/policy"
	"extdir/daemon/session"
)

// Question is the text a person decides by: the line, each access that is asked
// about with its kind, its names and the rule that decided, and whose line it is.
func Question(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s asks to run:\n  %s\n", who(r.Session), strings.ReplaceAll(Escape(r.Line), "\\n", "\n  "))
	fmt.Fprintf(&b, "in %s\n", Escape(r.Cwd))
	for _, f := range once(asked(r.Decision), r.Found) {
		b.WriteString("  ")
		b.WriteString(finding(f, r.Found))
		b.WriteByte('\n')
	}
	root := "no root: everything is outside"
	if len(r.Session.Roots) > 0 {
		root = "root " + Escape(strings.Join(r.Session.Roots, ", "))
	}
	tty := r.Shell.TTY
	if tty == "" {
		tty = r.Session.TTY
	}
	if tty == "" {
		tty = "no terminal"
	}
	fmt.Fprintf(&b, "session %s, %s, %s\n", r.Session.Key, root, Escape(tty))
	return b.String()
}

func who(s session.Session) string {
	switch {
	case s.Agent != "":
		return "agent " + Escape(s.Agent)
	case s.Driver == session.Agent:
		return "an agent"
	}
	return "a shell"
}

// asked are the findings a question is about: not those a grant silenced.
func asked(d policy.Decision) []policy.Finding {
	var out []policy.Finding
	for _, f := range d.Findings {
		if f.Action == policy.Ask && f.Grant == "" {
			out = append(out, f)
		}
	}
	return out
}

// once leaves of findings about the same thing the one that tells a person most:
// a line may name a path twice, and several gates may ask about it.
func once(findings []policy.Finding, l access.Line) []policy.Finding {
	type thing struct {
		kind        access.Kind
		typed, path string
		command     int
		name        string // of what is neither
	}
	at := map[thing]int{}
	var out []policy.Finding
	for _, f := range findings {
		t := thing{command: f.Command, name: f.Name}
		if f.Access >= 0 && f.Access < len(l.Accesses) {
			a := l.Accesses[f.Access]
			t = thing{kind: a.Kind, typed: a.Typed, path: a.Path, command: -1}
			if a.Kind == access.Self || a.Typed == "" && a.Path == "" {
				t.name = a.Why
			}
		}
		i, seen := at[t]
		switch {
		case !seen:
			at[t] = len(out)
			out = append(out, f)
		case telling(f) > telling(out[i]):
			out[i] = f
		}
	}
	return out
}

// telling ranks the gates by how well they say why a line is asked about: that
// it leaves the project, rather than that it holds something named by a rule.
func telling(f policy.Finding) int {
	switch f.Gate {
	case "built-in":
		return 2
	case "external_directory":
		return 1
	}
	return 0
}

// deciding finding of a decision: of the strictest, the most telling.
func first(d policy.Decision) policy.Finding {
	best := d.Findings[0]
	for _, f := range d.Findings[1:] {
		if f.Action == best.Action && f.Grant == best.Grant && telling(f) > telling(best) {
			best = f
		}
	}
	return best
}

// finding describes one finding in a line of a question.
func finding(f policy.Finding, l access.Line) string {
	switch {
	case f.Access >= 0 && f.Access < len(l.Accesses):
		a := l.Accesses[f.Access]
		return fmt.Sprintf("%-7s %s  %s%s", a.Kind, names(a), because(a), deciding(f))
	case f.Command >= 0 && f.Command < len(l.Commands) && len(l.Commands[f.Command].Forms) > 0:
		return fmt.Sprintf("%-7s %s %s", "command", Escape(f.Name), deciding(f))
	}
	return fmt.Sprintf("%-7s %s %s", f.Gate, Escape(f.Name), deciding(f))
}

func because(a access.Access) string {
	if a.Why == "" {
		return ""
	}
	return "(" + Escape(a.Why) + ") "
}

// names shows the typed name, and where it leads if that is elsewhere.
func names(a access.Access) string {
	switch {
	case a.Kind == access.Self:
		return "the guard itself"
	case a.Certainty == access.Unknown && a.Typed == "":
		return "a path that can't be determined"
	case a.Certainty == access.Unknown:
		return "something below " + Escape(strings.TrimSuffix(a.Typed, "/*"))
	case a.Path == "" || a.Path == a.Typed:
		return tree(a, a.Typed)
	case a.Typed == "":
		return tree(a, a.Path)
	}
	return fmt.Sprintf("%s → %s", Escape(a.Typed), tree(a, a.Path))
}

func tree(a access.Access, name string) string {
	if a.Dir {
		return Escape(name) + " and all below"
	}
	return Escape(name)
}

// deciding names the rule: (rule "/etc/*": "deny", config.json:14).
func deciding(f policy.Finding) string {
	if f.Rule == nil {
		return fmt.Sprintf("(%s: no rule allows it)", f.Gate)
	}
	r := f.Rule
	where := r.Origin.Layer
	if r.Origin.File != "" {
		where = fmt.Sprintf("%s:%d", Escape(filepath.Base(r.Origin.File)), r.Origin.Line)
	}
	text := fmt.Sprintf(`(rule "%s": "%s", %s)`, Escape(r.Pattern), actionName(r.Action), where)
	if r.Reason != "" {
		text += ": " + Escape(r.Reason)
	}
	return text
}

func actionName(a policy.Action) string {
	switch a {
	case policy.Allow:
		return "allow"
	case policy.Ask:
		return "ask"
	case policy.Deny:
		return "deny"
	}
	return "none"
}

// Blocked is the refusal of a line, for the shell that sent it:
//
//	extdir: blocked: cat /etc/shadow: /etc/shadow is outside /code/app (rule "/etc/*": "deny", config.json:14)
func Blocked(line string, d policy.Decision, l access.Line, roots []string) string {
	return "extdir: blocked: " + Why(line, d, l, roots)
}

// Why is what Blocked says, without its beginning.
func Why(line string, d policy.Decision, l access.Line, roots []string) string {
	head := short(line) + ": "
	if l.Error != "" {
		return head + Escape(l.Error)
	}
	if len(d.Findings) == 0 {
		return head + "it can't be judged"
	}
	why := Explain(first(d), l, roots)
	if rest, ok := strings.CutPrefix(why, short(line)+" "); ok {
		return short(line) + " " + rest // the line is the command: once is enough
	}
	return head + why
}

// Explain says in one sentence what is wrong with one access or command.
func Explain(f policy.Finding, l access.Line, roots []string) string {
	if f.Access < 0 || f.Access >= len(l.Accesses) {
		return strings.TrimSpace(Escape(f.Name) + " " + deciding(f))
	}
	a := l.Accesses[f.Access]
	name := f.Name
	if name == "" {
		name = a.Path
	}
	switch {
	case a.Kind == access.Self:
		return fmt.Sprintf("it acts on the guard itself: %s %s", Escape(a.Why), deciding(f))
	case a.Certainty == access.Unknown:
		return fmt.Sprintf("%s (%s) %s", names(a), Escape(a.Why), deciding(f))
	case f.Gate == "external_directory" && len(roots) == 0:
		return fmt.Sprintf("%s is outside: this session has no root %s", Escape(name), deciding(f))
	case f.Gate == "external_directory":
		return fmt.Sprintf("%s is outside %s %s", Escape(name), Escape(strings.Join(roots, ", ")), deciding(f))
	}
	return fmt.Sprintf("%s of %s %s", a.Kind, Escape(name), deciding(f))
}

// Waiting is what a shell prints when its time to wait is over. command is how a
// person calls extdird.
func Waiting(command, id string) string {
	return fmt.Sprintf("extdir: waiting for a person: %s approve %s, then run the same line again", command, id)
}

// Denied is what a shell prints when a person said no.
func Denied(line, reason string) string {
	text := "extdir: blocked: " + short(line) + ": a person said no"
	if reason != "" {
		text += ": " + Escape(reason)
	}
	return text
}

// Follows is what a shell prints for a line that came right after a refused one.
func Follows(line string) string {
	return "extdir: not run: follows a blocked line: " + short(line)
}
