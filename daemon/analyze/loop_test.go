package analyze

import "testing"

// Loops whose rounds can't be told one by one, and what they leave behind.
func TestLoops(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
	no end, or one that isn't known
		while true; do if curl -sf localhost; then break; fi; sleep 1; done ⇒
		while true; do ls; sleep 1; done                ⇒
		while :; do date >> log.txt; sleep 60; done     ⇒
		while true; do ls; done; cat /etc/p             ⇒ r /etc/p
		while true; do ls && break; done; cat /etc/p    ⇒ r /etc/p
		until curl -s localhost; do sleep 1; done       ⇒
		while :; do cd ..; done                         ⇒ r /, r /p
	a counter
		n=0; until curl localhost; do n=$((n+1)); [ $n -gt 30 ] && exit 1; done ⇒
		n=0; while true; do n=$((n+1)); if ls; then break; fi; [ $n -gt 300 ] && exit 1; done ⇒
		i=0; while read -r l; do ((i++)); cp a build/$i; done < list ⇒
		i=0; for f in $(git ls-files); do let i++; cp $f build/$i; done ⇒
		for ((i = 0; i < 1000; i++)); do cat src/$i; done ⇒
		for i in {1..500}; do cat src/$i.txt; done      ⇒
		for i in {1..90}; do for j in {1..90}; do for k in {1..90}; do cp a out/$i-$j-$k; done; done; done ⇒
		n=0; while [ $n -lt 99 ]; do m=0; while [ $m -lt 99 ]; do echo $n $m; m=$((m+1)); done; n=$((n+1)); done ⇒
		seq 1 100 | xargs -P 10 -I{} cp a out/{}        ⇒
	a value that wanders
		e=; d=; c=; b=; while read -r l; do cat $e; e=$d; d=$c; c=$b; b=/etc/p; done < list ⇒ ?
		c=; b=; for l in $(cat list); do cat $c; c=$b; b=$l; done ⇒ ?
	`)
}

// Arithmetic over numbers that aren't known, and over data.
func TestUnknownNumbers(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
	numbers
		echo $((RANDOM % 10))                           ⇒
		n=$(wc -l < README.md); echo $((n*2))           ⇒
		n=$(ls | wc -l); [ $((n % 2)) -eq 0 ] && ls     ⇒
		S=$(date +%s); ls; echo $(( $(date +%s) - S ))  ⇒
		S=$SECONDS; ls; echo $((SECONDS - S))           ⇒
		t=0; for f in *.md; do s=$(stat -c %s "$f"); t=$((t+s)); done ⇒
		i=0; i=$(expr $i + 1); echo $((i))              ⇒
		if (( $# > 0 && $? == 0 )); then ls; fi         ⇒
	data that a program prints, and text
		n=$(cat README.md); echo $((n))                 ⇒
		n=$(cat README.md); x='a[$('"$n"')]'; echo $((x)) ⇒ ?
		x='a[$(cat /etc/p)]'; echo $((x))               ⇒ r /etc/p
	`)
}

// Arrays of which not all is known.
func TestUnknownArrays(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
	any element may be anything
		a=($(cat list)); cat ${a[1]}                    ⇒ ?
		a=($(cat list)); cat "${a[@]:1}"                ⇒ ?
		a=(x $(cat list)); cat ${a[1]}                  ⇒ ?
		a=($(cat list)); a+=(y); cat ${a[7]}            ⇒ ?
		mapfile -t a < list; b=("${a[@]}"); cat ${b[3]} ⇒ ?
		a=($(cat list)); for ((i=1; i<${#a[@]}; i++)); do cat "${a[i]}"; done ⇒ ?
	how many there are isn't known
		mapfile -t a < list; set -- "${a[@]}"; cat $2   ⇒ ?
		f() { cat "$2"; }; mapfile -t a < list; f "${a[@]}" ⇒ ?
		f() { shift; cat "$@"; }; mapfile -t a < list; f "${a[@]}" ⇒ ?
		bash -c 'cat $1' $(cat list)                    ⇒ ?
	they are names below the root
		a=($(git ls-files)); for f in "${a[@]}"; do cat "$f"; done ⇒
		a=($(git ls-files)); cat "${a[2]}" "${a[@]:1}"  ⇒
		mapfile -t a < <(git ls-files); cat "${a[@]}"   ⇒
		a=($(git ls-files)); cat "${a[@]/#//etc/}"      ⇒ ?
		a=($(git ls-files)); cat "/etc/${a[2]}"         ⇒ r /etc/*
		a=(); while read -r f; do a+=("$f"); done < <(git ls-files); cat "${a[@]}" ⇒
	keys and values in turn
		declare -A m; m=(k /etc/p); cat ${m[k]}         ⇒ r /etc/p
		declare -A m=(k /etc/p l); cat ${m[k]}${m[l]}   ⇒ r /etc/p
		v='k x'; declare -A m=($v /etc/p); cat "${m["k x"]}" ⇒ r /etc/p
	`)
	cases(t, analyzer(t, world(t)), "zsh", `
		typeset -A m; m=(k /etc/p); cat $m[k]           ⇒ r /etc/p
		typeset -A m=(k /etc/p); cat "${m[k]}"          ⇒ r /etc/p
		typeset -A m; m+=(k /etc/p); cat $m             ⇒ r /etc/p
		for a b in $(cat list); do cat $b; done         ⇒ ?
	`)
}

// What a background command writes is part of a substitution's output.
func TestBackgroundOutput(t *testing.T) {
	cases(t, analyzer(t, world(t)), "bash", `
		x=$(echo /etc/p & wait); cat $x                 ⇒ r /etc/p
		x=$(echo /etc/p & echo a; wait); cat $x         ⇒ ?
		x=$(ls & echo a; wait); cat $x                  ⇒ ?
		x=$(ls >/dev/null & echo a); cat $x             ⇒
		echo /etc/p & cat a                             ⇒
	`)
}
