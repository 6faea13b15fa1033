package analyze

import "testing"

func TestAutocd(t *testing.T) {
	a := analyzer(t, world(t))
	for _, c := range []struct {
		shell, line, want string
		set               func(*Request)
	}{
		{"bash", "/etc; cat p", "r /etc, r /etc/p", nil},
		{"zsh", "/etc; cat p", "r /etc, r /etc/p", nil},
		{"zsh", "..; cat p", "r /p, r /p/p", nil},
		{"zsh", "../..", "r /", nil},
		{"zsh", "src; cat p", "", nil},
		{"zsh", "src; ..; cat p", "", nil},
		{"bash", "link_etc; cat p", "r /etc, r /etc/p", nil},
		{"zsh", "~/notes; rm x", "r /home/u/notes, w /home/u/notes/x", nil},
		{"zsh", "/etc x", "x /etc", nil},
		{"zsh", "/etc/nosuch", "x /etc/nosuch", nil},
		{"zsh", "src() { cat /srv/x }; src; cat p", "r /srv/x", nil},
		{"zsh", "ssl; cat p", "r /etc/ssl, r /etc/ssl/p", func(r *Request) { r.CDPath = "/etc" }},
		{"zsh", "cdpath=(/etc); ssl; cat p", "r /etc/ssl, r /etc/ssl/p", nil},
		{"zsh", "/etc; cat p", "x /etc", func(r *Request) { r.Interactive = false }},
		{"zsh", "/etc; cat p", "x /etc", func(r *Request) { r.Options["autocd"] = false }},
		{"zsh", "setopt autocd; /etc; cat p", "r /etc, r /etc/p", func(r *Request) { r.Options["autocd"] = false }},
		{"bash", "(/etc; cat p); cat q", "r /etc, r /etc/p", nil},
		{"bash", "bash -c '/etc; cat p'", "x /etc", nil},
	} {
		r := request(c.line)
		r.Shell, r.Interactive, r.Options = c.shell, true, map[string]bool{"autocd": true}
		if c.set != nil {
			c.set(&r)
		}
		if got := found(a.Analyze(r)); got != c.want {
			t.Errorf("%s: %s\n\tgot  %s\n\twant %s", c.shell, c.line, got, c.want)
		}
	}
}
