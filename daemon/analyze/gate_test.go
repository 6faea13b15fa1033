package analyze

import (
	"os"
	"path/filepath"
	"testing"

	"extdir/daemon/access"
	"extdir/daemon/policy"
)

// TestInput: a program that reads its standard input is asked about only if what
// it reads is neither known nor judged; shells elsewhere only if someone types.
func TestInput(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		python3                                   ⇒
		python3 -                                 ⇒
		python3 < run.sh                          ⇒
		python3 - < /etc/p.py                     ⇒ r /etc/p.py
		mysql db < dump.sql                       ⇒
		mysql db <<< "source /etc/x.sql"          ⇒ r /etc/x.sql
		cat run.sh | python3 -                    ⇒ ?
		ssh host                                  ⇒ self:ask
		ssh host < /dev/tty                       ⇒ self:ask
		ssh host < run.sh                         ⇒
		ssh host <<< "cat /etc/p"                 ⇒
		tar c src | ssh host                      ⇒
		ssh localhost <<< "cat /etc/p"            ⇒ ?, r /etc/p
		docker exec -it c sh                      ⇒ self:ask
		docker exec -i c sh < run.sh              ⇒
		su - bob <<< "cat /etc/p"                 ⇒ r /etc/p, self:ask
	`)
}

// TestPatternLinks: a pattern goes through links to folders, and what it matches
// there lies elsewhere; a command that works on links themselves stays inside.
func TestPatternLinks(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		cat */passwd                              ⇒ r /etc/passwd
		cat */*                                   ⇒ r /etc/*, r /p/*
		rm */*                                    ⇒ r /etc/*, r /p/*, w /etc/*, w /p/*
		echo link_*/*.conf                        ⇒ r /etc/*.conf, r /p/*.conf
		cat s*/../link_etc/*                      ⇒ r /etc/*
		cat src/*/*                               ⇒
		ls *                                      ⇒ r /etc, r /etc/passwd, r /p
		ls -d */                                  ⇒
		rm -rf *                                  ⇒
		rm */passwd                               ⇒ w /etc/passwd
		rm link_passwd; unlink link_passwd        ⇒
		ls -l link_passwd link_etc                ⇒
		ls link_passwd; ls -l link_etc/; ls -lL link_etc ⇒ r /etc, r /etc/passwd
		readlink link_passwd; readlink -n link_etc ⇒
		readlink -f link_passwd                   ⇒ r /etc/passwd
		test -L link_passwd; [ -h link_etc ]; [[ -L link_etc ]] ⇒
		test -e link_passwd                       ⇒ r /etc/passwd
		tar cf a.tar link_etc; zip -qry a.zip link_passwd ⇒
		tar chf a.tar link_passwd                 ⇒ r /etc/passwd
		zip a.zip link_passwd                     ⇒ r /etc/passwd
		git add link_passwd; git rm -f link_etc; git mv link_etc x ⇒
		mv link_etc x; cp -P link_passwd y; chown -h u link_passwd ⇒
		ln -sfn src link_etc; ln -sf a.txt link_passwd ⇒
		mv a.txt link_passwd                      ⇒
		mv a.txt link_etc                         ⇒ w /etc
		cp a.txt link_passwd                      ⇒ w /etc/passwd
		find link_etc; file link_passwd; trash link_etc; rsync -a link_etc y ⇒
		find -H link_etc; rsync -a link_etc/ y    ⇒ r /etc
		rm -rf link_etc                           ⇒
		rm -rf link_etc/                          ⇒ w /etc
		rm link_etc/passwd                        ⇒ w /etc/passwd
		mv link_passwd k; cat k                   ⇒ r /etc/passwd
		mv link_etc kk; cat kk/passwd             ⇒ r /etc/passwd
		mkdir d; mv link_etc d; cat d/link_etc/passwd ⇒ r /etc/passwd
		mkdir d; mv link_passwd d/; cat d/*       ⇒ r /etc/passwd
		cp -P link_passwd k; cat k                ⇒ r /etc/passwd
		rm link_passwd; echo x > link_passwd      ⇒ w /etc/passwd
		ln link_passwd k                          ⇒ r /etc/passwd
		du -s link_etc; du -sh *                  ⇒
		du -sL link_etc                           ⇒ r /etc
		chown -h u link_passwd; touch -h link_passwd ⇒
		chown u link_passwd                       ⇒ w /etc/passwd
		stat link_passwd                          ⇒
		stat -L link_passwd                       ⇒ r /etc/passwd
		mv * sub/                                 ⇒
		ln -s * sub/                              ⇒
		cp -r * sub/                              ⇒
		cp * sub/                                 ⇒ r /etc, r /etc/passwd, r /p
	`)
}

// TestZshNames: names that only zsh looks up.
func TestZshNames(t *testing.T) {
	root := world(t)
	if err := os.WriteFile(filepath.Join(root, "usr/bin/ls"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	a := analyzer(t, root)
	cases(t, a, "zsh", `
		cat =ls                                   ⇒ r /usr/bin/ls
		=ls /etc                                  ⇒ r /etc
		=ls docs                                  ⇒
		cat =nosuch                               ⇒ ?
		cp x =ls                                  ⇒ w /usr/bin/ls
		PATH=/opt/x:$PATH; cat =ls                ⇒ r /opt/x, r /usr/bin/ls
		hash -d n=/etc; cat ~n/p                  ⇒ r /etc, r /etc/p
		hash -d n=src; cat ~n/main.go             ⇒
		hash -d root=src; cat ~root/main.go       ⇒
		hash -d n=src; unhash -d n; cat ~n/x      ⇒ ?
		if $x; then hash -d n=src; else hash -d n=/etc; fi; cat ~n/x ⇒ ?, r /etc, r /etc/x
		d=/etc; cat ~d/p                          ⇒ r /etc/p
		autoload -Uz compinit && compinit -D      ⇒
		autoload -Uz compinit; compinit           ⇒ w /home/u/.zcompdump
		autoload -Uz mine; mine                   ⇒ ?
		autoload -Uz /etc/mine                    ⇒ x /etc/mine
		autoload ~/mine                           ⇒ x /home/u/mine
		fpath=(lib); autoload compinit; compinit  ⇒ ?
		zf_rm /etc/p                              ⇒ w /etc/p
		print -l **/*.md                          ⇒
		print -l */*.conf                         ⇒ r /etc/*.conf, r /p/*.conf
	`)
	for _, c := range []struct{ body, line, want string }{
		{"builtin autoload -XU", "compinit -D", ""},
		{"builtin autoload -XU", "fpath=(lib); compinit -D", "?"},
		{"builtin autoload -XU", "mine", "?"},
		{"cat /etc/p", "compinit -D", "r /etc/p"},
	} {
		r := request(c.line)
		r.Shell = "zsh"
		r.Functions = map[string]string{"compinit": c.body, "mine": c.body}
		if got := found(a.Analyze(r)); got != c.want {
			t.Errorf("%s, a function with %q: %q, want %q", c.line, c.body, got, c.want)
		}
	}
}

// TestUnknownKind: what is done with a path that isn't known is known.
func TestUnknownKind(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]access.Kind{
		`rm -rf "$x"/y`: access.Write, `echo a > "$x"`: access.Write, `cat "$x"`: access.Read,
		`cp README.md "$x"`: access.Write, `"$x/run"`: access.Execute,
	} {
		for _, ac := range a.Analyze(request(line)).Accesses {
			if ac.Certainty == access.Unknown && ac.Kind != want {
				t.Errorf("%s: %s, want %s", line, ac.Kind, want)
			}
		}
	}
}

// TestTrees: a directory that is moved, removed or copied is used with all below
// it; entering one uses nothing of it.
func TestTrees(t *testing.T) {
	a := analyzer(t, world(t))
	for line, want := range map[string]bool{
		"cd /etc": false, "pushd /etc": false, "ls /etc": false, "rm -r /etc/ssl": true, "mv /etc/ssl sub": true,
		"cp -r /etc/ssl sub": true, "cp /etc/passwd sub": false, "git mv /etc/ssl sub": true, "find /etc": true,
	} {
		for _, ac := range a.Analyze(request(line)).Accesses {
			if ac.External && ac.Dir != want {
				t.Errorf("%s: Dir is %v for %s", line, ac.Dir, ac.Path)
			}
		}
	}
}

// TestCommandRules: options in front of a subcommand, and a program written with
// its directory, don't carry a command past a rule that names it.
func TestCommandRules(t *testing.T) {
	a := analyzer(t, world(t))
	ask := policy.Entry{Surface: "bash", Pattern: "git push *", Read: policy.Ask, Write: policy.Ask, Execute: policy.Ask}
	deny := policy.Entry{Surface: "bash", Pattern: "kubectl delete *", Read: policy.Deny, Write: policy.Deny, Execute: policy.Deny}
	p, problems := policy.Compile([]policy.Layer{{Name: "user", Author: policy.User, Rules: []policy.Entry{ask, deny}}}, policy.Env{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for line, want := range map[string]policy.Verdict{
		"git push":                                 policy.VerdictPrompt,
		"git -C . push origin":                     policy.VerdictPrompt,
		"git -c core.pager=cat push":               policy.VerdictPrompt,
		"git --no-pager push --force":              policy.VerdictPrompt,
		"git --git-dir=.git push":                  policy.VerdictPrompt,
		"git --nobody-knows-this push":             policy.VerdictPrompt,
		"/usr/bin/git push":                        policy.VerdictPrompt,
		"/usr/bin/git -C . push":                   policy.VerdictPrompt,
		"sudo -u bob /usr/bin/git -C . push":       policy.VerdictPrompt,
		"$HOME/../../usr/bin/git push":             policy.VerdictPrompt,
		`"$x"/git push`:                            policy.VerdictPrompt,
		"echo main | xargs git -C . push origin":   policy.VerdictPrompt,
		"sh -c 'git -C src push'":                  policy.VerdictPrompt,
		"kubectl -n prod --context x delete pod a": policy.VerdictBlock,
		"git -C . pull":                            policy.VerdictAllow,
		"git -C . log push":                        policy.VerdictAllow,
		"git commit -m push":                       policy.VerdictAllow,
		"kubectl -n delete get pods":               policy.VerdictAllow,
	} {
		got := p.Decide(a.Analyze(request(line)), policy.Context{
			Line: line, Cwd: "/p/app", Driver: "agent", Mode: "ask", Roots: []string{"/p/app"},
		})
		if got.Verdict != want {
			t.Errorf("%s: %s, want %s", line, got.Verdict, want)
		}
	}
}
