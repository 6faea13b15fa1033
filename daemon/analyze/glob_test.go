package analyze

import "testing"

// What patterns reach through links, and what keeps them known.
func TestGlobs(t *testing.T) {
	a := analyzer(t, world(t))
	cases(t, a, "bash", `
	** doesn't go through links, neither here nor in zsh
		shopt -s globstar; cat **/*.go                 ⇒
		shopt -s globstar; cat **/main.go              ⇒
		shopt -s globstar; cat **/passwd               ⇒
		shopt -s globstar; cat **                      ⇒ r /etc, r /etc/passwd, r /p
		shopt -s globstar; cat **/link_p*              ⇒ r /etc/passwd
		shopt -s globstar; cat **/link*/passwd         ⇒ r /etc/passwd
		cat */passwd                                   ⇒ r /etc/passwd
	groups
		shopt -s extglob; cat @(README.md|x)           ⇒
		shopt -s extglob; cat @(link_passwd|x)         ⇒ r /etc/passwd
		shopt -s extglob; cat !(link*)                 ⇒
		shopt -s extglob; cat ~/@(a|b)                 ⇒ r /home/u/@(a|b)
		shopt -s extglob; cat ~/@(a|$(cat /srv/x))     ⇒ ?/home/u/*, r /srv/x
	names that are counted by the shell alone
		set -- ~/*.txt; cat "$1"                       ⇒ r /home/u/*.txt
		set -- ~/*.txt; shift; cat "$1"                ⇒ ?, r /home/u/*.txt
		set -- ~/*.txt b; cat "$2"                     ⇒ ?, r /home/u/*.txt
		set -- b ~/*.txt; cat "$2"                     ⇒ r /home/u/*.txt
		for f in ~/*.txt; do cp "$f" "${f%.txt}.md"; done ⇒ r /home/u/*.txt, w /home/u/*.md
		for f in ~/*.txt; do cp "$f" "/srv/$(basename "$f" .txt).md"; done ⇒ r /home/u/*.txt, w /srv/*.md
		for f in ~/*.txt; do cp "$f" "/srv/${f##*/}"; done ⇒ r /home/u/*.txt, w /srv/*.txt
		for f in ~/*; do cat "${f%?}"; done            ⇒ ?/home/u/*, r /home/u/*
		for f in ~/.ssh/*; do [ "$f" = ~/.ssh/id_rsa ] && cat /srv/x; done ⇒ r /home/u/.ssh/*, r /srv/x
	links in a folder outside, and what only lists files
		cat /p/app/../other/*                          ⇒ r /p/other/*
		cd /p; cat app/link_p* other/*                 ⇒ r /etc/passwd, r /p, r /p/other/*
		ls /p/other/*.txt | xargs cat                  ⇒ r /p/other/*.txt
		ls -t /p/other/*.txt | head -1 | xargs cat     ⇒ r /p/other/*.txt
		f=$(ls /p/other/*.txt | tail -1); rm "$f"      ⇒ r /p/other/*.txt, w /p/other/*.txt
		ls /etc/* | xargs cat                          ⇒ ?, r /etc/*
		ls -d /etc/* | xargs cat                       ⇒ r /etc/*
	a second listing outside prints outside names, too
		ls /srv; ls /srv | while read f; do rm "/srv/$f"; done ⇒ ?/srv/*, r /srv
		cat /srv/x; grep -l a /srv/x | xargs rm        ⇒ ?, r /srv/x
	`)
	cases(t, a, "zsh", `
		cat **/*.go                                    ⇒
		cat **/*.go(.)                                 ⇒
		cat **/passwd                                  ⇒
		cat ***/passwd                                 ⇒ r /etc/***/passwd, r /etc/passwd, r /p/***/passwd
		cat **/link_p*                                 ⇒ r /etc/passwd
		cat (README.md|list.txt)                       ⇒
		cat (README|link)*                             ⇒ r /etc, r /etc/passwd, r /p
		cat ~/(a|$(cat /srv/x))                        ⇒ ?, r /home/u, r /srv/x
		cat ~/x(N)                                     ⇒ r /home/u/x(N)
		cat ~/*(:h)                                    ⇒ ?, r /home/u/*(:h)
		print -l ~/*(:t)                               ⇒ r /home/u/*(:t)
		setopt noglob; cat ~/*                         ⇒ r /home/u/*
	`)
}
