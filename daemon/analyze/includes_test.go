package analyze

import "testing"

// Text on standard input that make, m4, curl and compilers read.
func TestIncludes(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		make -f - <<< 'x: ; cat /etc/p'                ⇒ r /etc/p
		printf 'x:\n\tcat /etc/p\n' | make -f -        ⇒ r /etc/p
		printf 'x:\n\techo /etc/p\n' | make -f -       ⇒
		printf 'v != cat /etc/p\n' | make -f -         ⇒ r /etc/p
		printf -- '-include /etc/p\n' | make -f -      ⇒ r /etc/p
		make -f - <<< 'v = $(shell cat /etc/p)'        ⇒ r /etc/p
		curl -s h | make -f -                          ⇒ ?
		yes | make install                             ⇒
		m4 <<< 'include(/etc/p)'                       ⇒ r /etc/p
		m4 <<< 'esyscmd(cat /etc/p)'                   ⇒ r /etc/p
		m4 <<< 'x includes(/etc/p)'                    ⇒
		gcc -x c - <<< '#include "/etc/p"'             ⇒ r /etc/p
		gcc -x c - <<< '#include <stdio.h>'            ⇒
		curl --config - <<< 'url = "file:///etc/p"'    ⇒ r /etc/p
		curl --config - <<< 'url = "https://h/etc/p"'  ⇒
		curl -K /etc/p h                               ⇒ r /etc/p
		python3 -m timeit 'open("/etc/p")'             ⇒ r /etc/p
	`)
}
