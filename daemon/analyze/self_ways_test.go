package analyze

import (
	"strings"
	"testing"
)

// typed runs a table at a prompt. ‵ stands for a backquote.
func typed(t *testing.T, shell, table string) {
	t.Helper()
	a := analyzer(t, world(t))
	for row := range strings.SplitSeq(table, "\n") {
		line, want, ok := strings.Cut(strings.TrimSpace(row), "⇒")
		if !ok {
			continue
		}
		r := request(strings.ReplaceAll(strings.TrimSpace(line), "‵", "`"))
		r.Shell, r.Interactive = shell, true
		r.Options = map[string]bool{"expand_aliases": true}
		if got := found(a.Analyze(r)); got != strings.TrimSpace(want) {
			t.Errorf("%s\n\tgot  %s\n\twant %s", line, got, want)
		}
	}
}

// TestWaysRound: the ways round the guard, and their variants.
func TestWaysRound(t *testing.T) {
	typed(t, "bash", `
		trap 'x' DEBUG                                 ⇒ self:deny
		trap - DEBUG                                   ⇒ self:deny
		trap '' INT                                    ⇒ self:deny
		trap - RETURN                                  ⇒ 
		trap 'echo x' RETURN                           ⇒ 
		trap 'EXTDIR_X=1' RETURN                       ⇒ self:deny
		trap '__extdir_x=1' ERR                        ⇒ self:deny
		declare -ft __extdir_check                     ⇒ self:deny
		typeset -f -t __extdir_check                   ⇒ self:deny
		declare -t __extdir_check                      ⇒ self:deny
		set -T                                         ⇒ self:deny
		trap DEBUG                                     ⇒ self:deny
		trap -- - debug                                ⇒ self:deny
		trap - SIGINT                                  ⇒ self:deny
		trap - 2                                       ⇒ self:deny
		builtin trap - DEBUG                           ⇒ self:deny
		command trap - DEBUG                           ⇒ self:deny
		eval 'trap - DEBUG'                            ⇒ self:deny
		PS0=                                           ⇒ self:deny
		PS0='x'                                        ⇒ self:deny
		unset PS0                                      ⇒ self:deny
		export PS0=                                    ⇒ self:deny
		declare PS0=x                                  ⇒ self:deny
		readonly PS0                                   ⇒ self:deny
		PROMPT_COMMAND=                                ⇒ self:deny
		PROMPT_COMMAND=(a b)                           ⇒ self:deny
		PROMPT_COMMAND[0]=                             ⇒ self:deny
		unset PROMPT_COMMAND                           ⇒ self:deny
		unset 'PROMPT_COMMAND[0]'                      ⇒ self:deny
		PROMPT_COMMAND+='; x'                          ⇒ self:deny
		readonly PROMPT_COMMAND                        ⇒ self:deny
		declare -r PROMPT_COMMAND                      ⇒ self:deny
		preexec() { :; }                               ⇒ self:deny
		precmd() { :; }                                ⇒ self:deny
		preexec_functions=()                           ⇒ self:deny
		precmd_functions=()                            ⇒ self:deny
		unset preexec_functions                        ⇒ self:deny
		set +o history                                 ⇒ self:deny
		set -n                                         ⇒ self:deny
		set -o noexec                                  ⇒ self:deny
		set -o posix                                   ⇒ self:deny
		set -p                                         ⇒ self:deny
		shopt -u promptvars                            ⇒ self:deny
		shopt -s extdebug                              ⇒ self:deny
		shopt -uo history                              ⇒ self:deny
		shopt -u cmdhist                               ⇒ self:deny
		HISTCONTROL=ignorespace                        ⇒ self:deny
		HISTCONTROL=ignoreboth                         ⇒ self:deny
		HISTIGNORE='*'                                 ⇒ self:deny
		HISTSIZE=0                                     ⇒ self:deny
		fc -s                                          ⇒ self:deny
		fc -e : 1 2                                    ⇒ self:deny
		fc -e -                                        ⇒ self:deny
		fc                                             ⇒ self:deny
		fc -s cat=rm                                   ⇒ self:deny
		builtin fc -s                                  ⇒ self:deny
		command fc -s                                  ⇒ self:deny
		history -s 'rm x'; fc -s                       ⇒ self:deny
		bash --norc                                    ⇒ self:ask
		bash --rcfile /dev/null                        ⇒ self:ask
		bash --rcfile x                                ⇒ self:ask
		bash --init-file x                             ⇒ self:ask
		bash --noprofile --norc                        ⇒ self:ask
		bash --posix                                   ⇒ self:ask
		bash -p                                        ⇒ self:ask
		bash +B --norc -i                              ⇒ self:ask
		exec bash --norc                               ⇒ self:ask
		exec bash --norc -i                            ⇒ self:ask
		sh                                             ⇒ self:ask
		dash                                           ⇒ self:ask
		sh -i                                          ⇒ self:ask
		env -i bash                                    ⇒ self:ask
		env -i bash --norc                             ⇒ self:ask
		env - bash                                     ⇒ self:ask
		env -u BASH_ENV bash                           ⇒ self:ask
		env -u PROMPT_COMMAND bash                     ⇒ self:ask
		env --unset=BASH_ENV bash                      ⇒ self:ask
		exec -c bash                                   ⇒ self:ask
		exec -a x bash                                 ⇒ self:ask
		exec -c bash --norc                            ⇒ self:ask
		exec -a sh bash                                ⇒ self:ask
		zsh -f                                         ⇒ self:ask
		zsh --no-rcs                                   ⇒ self:ask
		zsh -o norcs                                   ⇒ self:ask
		zsh -d -f                                      ⇒ self:ask
		zsh --no-global-rcs                            ⇒ self:ask
		ksh                                            ⇒ self:ask
		busybox sh                                     ⇒ self:ask
		busybox ash                                    ⇒ self:ask
		BASH_ENV=/dev/null                             ⇒ self:deny
		BASH_ENV= bash                                 ⇒ self:ask
		BASH_ENV=/dev/null bash                        ⇒ self:ask
		export BASH_ENV=                               ⇒ self:deny
		export BASH_ENV                                ⇒ self:deny
		export -n BASH_ENV                             ⇒ self:deny
		unset BASH_ENV                                 ⇒ self:deny
		ENV=x                                          ⇒ self:deny
		ZDOTDIR=/tmp                                   ⇒ self:deny
		ZDOTDIR=/tmp zsh                               ⇒ r /tmp, self:ask
		HOME=/tmp                                      ⇒ self:deny
		HOME=/tmp bash                                 ⇒ self:ask
		export HOME=/x                                 ⇒ self:deny
		XDG_RUNTIME_DIR=/tmp                           ⇒ self:deny
		export XDG_CONFIG_HOME=/tmp                    ⇒ r /tmp, self:deny
		EXTDIR_SESSION=                                ⇒ self:deny
		unset EXTDIR_SESSION                           ⇒ self:deny
		kill $(pgrep extdird)                          ⇒ self:ask, self:deny
		kill -9 $(pgrep -f extdird)                    ⇒ self:ask, self:deny
		kill -9 ‵pidof extdird‵                        ⇒ self:ask, self:deny
		pgrep extdird | xargs kill                     ⇒ self:ask, self:deny
		pkill extdird                                  ⇒ self:deny
		pkill -f extdir                                ⇒ self:deny
		killall extdird                                ⇒ self:deny
		killall -9 extdir-hook                         ⇒ self:deny
		pkill -u $USER                                 ⇒ self:deny
		pkill -9 -u u                                  ⇒ self:deny
		killall -u u                                   ⇒ self:deny
		kill -9 -1                                     ⇒ self:deny
		kill -- -1                                     ⇒ self:deny
		kill -1 -1                                     ⇒ self:deny
		kill -s KILL -- -1                             ⇒ self:deny
		systemctl --user stop extdird                  ⇒ self:deny
		systemctl --user stop extdird.socket           ⇒ self:deny
		systemctl --user disable --now extdird.socket  ⇒ self:deny
		systemctl --user mask extdird                  ⇒ self:deny
		systemctl --user kill extdird                  ⇒ self:deny
		systemctl --user exit                          ⇒ self:deny
		launchctl bootout gui/501/extdird              ⇒ self:deny
		launchctl unload ~/Library/LaunchAgents/org.extdir.plist ⇒ r /home/u/Library/LaunchAgents/org.extdir.plist, self:deny
		loginctl terminate-user u                      ⇒ self:deny
		loginctl kill-session 1                        ⇒ self:deny
		gdb -p $(pgrep extdird)                        ⇒ self:ask, self:deny
		gdb -p 1234                                    ⇒ self:ask
		gdb attach 1234                                ⇒ self:ask
		strace -p 1234                                 ⇒ self:ask
		strace -f -p $(pidof extdird)                  ⇒ self:ask, self:deny
		ltrace -p 1                                    ⇒ self:ask
		lldb -p 12                                     ⇒ self:ask
		reptyr 1234                                    ⇒ self:ask
		python3 -c 'import fcntl,termios; fcntl.ioctl(0, termios.TIOCSTI, b"x")' ⇒ self:deny
		python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, "x")' ⇒ self:deny
		perl -e 'ioctl(STDIN, 0x5412, "x")'            ⇒ self:deny
		perl -e 'require "sys/ioctl.ph"; ioctl(STDOUT, TIOCSTI(), $_) for split "", "ls\n"' ⇒ self:deny
		ruby -e '$stdin.ioctl(0x5412, "x")'            ⇒ self:deny
		tmux send-keys -t 0 'ls' Enter                 ⇒ self:ask
		tmux send -t 1 ls                              ⇒ self:ask
		tmux send-key -t 1 ls                          ⇒ self:ask
		tmux -L x send-keys a                          ⇒ self:ask
		tmux \; send-keys a                            ⇒ self:ask
		tmux set-buffer x \; paste-buffer              ⇒ self:ask
		tmux pasteb                                    ⇒ self:ask
		tmux respawn-pane -k sh                        ⇒ ?, self:ask
		tmux new-window 'bash --norc'                  ⇒ ?, self:ask
		screen -X stuff 'ls'                           ⇒ self:ask
		screen -S a -p 0 -X stuff "ls^M"               ⇒ self:ask
		screen -X paste .                              ⇒ self:ask
		screen -X exec ls                              ⇒ self:ask
		zellij action write-chars ls                   ⇒ self:ask
		zellij action write 10                         ⇒ self:ask
		kitty @ send-text ls                           ⇒ self:ask
		kitten @ send-text ls                          ⇒ self:ask
		wezterm cli send-text ls                       ⇒ self:ask
		xdotool type ls                                ⇒ self:ask
		xdotool key Return                             ⇒ self:ask
		wtype ls                                       ⇒ self:ask
		ydotool type ls                                ⇒ self:ask
		xvkbd -text ls                                 ⇒ self:ask
		dotool                                         ⇒ self:ask
		osascript -e 'tell application "System Events" to keystroke "ls"' ⇒ ?, self:ask
		osascript -e 'tell application "Terminal" to do script "ls"' ⇒ self:ask
		ttyecho -n /dev/pts/1 ls                       ⇒ r /dev/pts/1, self:ask, w /dev/pts/1
		extdird approve 7f3                            ⇒ self:deny
		/usr/local/bin/extdird approve 7f3             ⇒ self:deny
		./extdird approve 7f3                          ⇒ self:deny
		~/go/bin/extdird approve 1                     ⇒ self:deny, x /home/u/go/bin/extdird
		command extdird approve 1                      ⇒ self:deny
		sudo extdird approve 1                         ⇒ self:deny
		env extdird approve 1                          ⇒ self:deny
		nohup extdird approve 1 &                      ⇒ self:deny
		setsid extdird approve 1                       ⇒ self:deny
		x=extdird; $x approve 1                        ⇒ self:deny
		extdird "approve" 1                            ⇒ self:deny
		extdird trust                                  ⇒ self:deny
		extdird guard off                              ⇒ self:deny
		extdird pause                                  ⇒ self:deny
		extdird stop                                   ⇒ self:deny
		extdird uninstall                              ⇒ self:deny
		extdird root add /                             ⇒ r /, self:deny, w /
		extdird revoke x                               ⇒ self:deny
		extdird config edit                            ⇒ self:deny
		cp /usr/local/bin/extdird e && ./e approve 1   ⇒ r /usr/local/bin/extdird, self:deny
		ln -s /usr/local/bin/extdird e; ./e approve 1  ⇒ r /usr/local/bin/extdird, self:deny, x /usr/local/bin/extdird
		script -c 'extdird approve 1' /dev/null        ⇒ self:deny
		script -qc "extdird approve 1"                 ⇒ self:deny
		expect -c 'spawn extdird approve 1'            ⇒ self:deny
		unbuffer extdird approve 1                     ⇒ self:deny
		tmux new -d 'extdird approve 1'                ⇒ ?, self:deny
		screen -dm extdird approve 1                   ⇒ self:deny
		setsid -f extdird approve 1                    ⇒ self:deny
		ssh localhost extdird approve 1                ⇒ ?, self:deny
		at now <<< 'extdird approve 1'                 ⇒ ?, self:deny
		systemd-run --user extdird approve 1           ⇒ self:deny
		python3 -c 'import subprocess; subprocess.run(["extdird","approve","1"])' ⇒ self:deny
		python3 -c 'import os; os.system("extdird approve 1")' ⇒ self:deny
		echo 'extdird approve 1' | sh                  ⇒ self:deny
		builtin set +o history                         ⇒ self:deny
		command set +o history                         ⇒ self:deny
		enable -n trap                                 ⇒ self:deny
		enable -n history                              ⇒ self:deny
		builtin enable -n fc                           ⇒ self:deny
		unset -f __extdir_check                        ⇒ self:deny
		unset -f _extdir_preexec                       ⇒ self:deny
		function __extdir_check { :; }                 ⇒ self:deny
		__extdir_check() { :; }                        ⇒ self:deny
		alias __extdir_check=:                         ⇒ self:deny
		readonly __extdir_x=1                          ⇒ self:deny
		bind -x '"\C-a": ls'                           ⇒ self:ask
		exec sudo -s                                   ⇒ self:ask
		su                                             ⇒ self:ask
		su - root                                      ⇒ self:ask
		sudo -i                                        ⇒ self:ask
		ssh host                                       ⇒ self:ask
		docker exec -it c sh                           ⇒ self:ask
		chsh -s /bin/sh                                ⇒ r /bin/sh, self:ask
	`)
}

func TestWaysRoundZsh(t *testing.T) {
	typed(t, "zsh", `
		add-zsh-hook -d preexec x                      ⇒ self:deny
		add-zsh-hook -D preexec 'x*'                   ⇒ self:deny
		add-zsh-hook preexec f                         ⇒ self:deny
		preexec_functions=()                           ⇒ self:deny
		preexec_functions[1]=()                        ⇒ self:deny
		unset preexec_functions                        ⇒ self:deny
		precmd_functions=(${precmd_functions:#x})      ⇒ ?, self:deny
		unfunction preexec                             ⇒ self:deny
		unfunction _extdir_preexec                     ⇒ self:deny
		unset -f _extdir_preexec                       ⇒ self:deny
		unhash -f _extdir_preexec                      ⇒ self:deny
		disable -f _extdir_preexec                     ⇒ self:deny
		disable trap                                   ⇒ self:deny
		disable print                                  ⇒ self:deny
		setopt no_rcs                                  ⇒ self:deny
		setopt norcs                                   ⇒ self:deny
		unsetopt rcs                                   ⇒ self:deny
		setopt histignorespace                         ⇒ self:deny
		setopt HIST_IGNORE_SPACE                       ⇒ self:deny
		setopt noexec                                  ⇒ self:deny
		r                                              ⇒ self:deny
		r ls                                           ⇒ self:deny
		fc -e - 1                                      ⇒ self:deny
		TRAPDEBUG() { :; }                             ⇒ self:deny
		TRAPINT() { :; }                               ⇒ self:deny
		trap - DEBUG                                   ⇒ self:deny
		functions[preexec]=:                           ⇒ self:deny
		functions[_extdir_preexec]=                    ⇒ self:deny
		unset 'functions[preexec]'                     ⇒ self:deny
		zmodload -u zsh/net/socket                     ⇒ self:deny
		zsh -f                                         ⇒ self:ask
		zsh -df                                        ⇒ self:ask
		exec zsh -f                                    ⇒ self:ask
		zsh --norcs                                    ⇒ self:ask
		ZDOTDIR=/tmp zsh                               ⇒ r /tmp, self:ask
		zshaddhistory() { return 1; }                  ⇒ self:deny
		histchars=                                     ⇒ self:deny
		HISTSIZE=0                                     ⇒ self:deny
		SAVEHIST=0                                     ⇒ self:deny
		preexec() { :; }                               ⇒ self:deny
		typeset -ga preexec_functions                  ⇒ self:deny
		preexec_functions+=(f)                         ⇒ self:deny
		command_not_found_handler() { :; }             ⇒ self:deny
		exec bash --norc                               ⇒ self:ask
	`)
}

// TestLookAlikes: what looks like one of them, and is daily work.
func TestLookAlikes(t *testing.T) {
	typed(t, "bash", `
		trap cleanup EXIT                              ⇒ 
		trap 'rm -f tmpfile' EXIT TERM HUP             ⇒ 
		trap - EXIT                                    ⇒ 
		trap -p                                        ⇒ 
		trap -l                                        ⇒ 
		kill $!                                        ⇒ 
		kill %1                                        ⇒ 
		kill 1234                                      ⇒ 
		kill -9 1234                                   ⇒ 
		kill -0 $pid                                   ⇒ 
		pkill node                                     ⇒ 
		pkill -f 'vite dev'                            ⇒ 
		killall node                                   ⇒ 
		pgrep node                                     ⇒ 
		pgrep -af node                                 ⇒ 
		history                                        ⇒ 
		history | grep x                               ⇒ 
		history 20                                     ⇒ 
		bash -c 'ls'                                   ⇒ 
		bash script.sh                                 ⇒ 
		bash -x script.sh                              ⇒ 
		bash -e -u script.sh                           ⇒ 
		bash -lc 'ls'                                  ⇒ 
		bash -n script.sh                              ⇒ 
		sh -c 'ls src'                                 ⇒ 
		sh script.sh                                   ⇒ 
		zsh -c 'ls'                                    ⇒ 
		zsh -fc 'ls'                                   ⇒ 
		bash --norc -c 'ls'                            ⇒ 
		bash --version                                 ⇒ 
		unset x                                        ⇒ 
		unset -f foo                                   ⇒ 
		unset -v a b                                   ⇒ 
		PS1='$ '                                       ⇒ 
		PS1='\u@\h \w\$ '                              ⇒ 
		tmux new-session -d                            ⇒ 

		tmux ls                                        ⇒ 
		tmux kill-session -t srv                       ⇒ 
		tmux capture-pane -p                           ⇒ 
		screen -ls                                     ⇒ 
		screen -dmS srv npm start                      ⇒ 
		set -euo pipefail                              ⇒ 
		set -x                                         ⇒ 
		set +x                                         ⇒ 
		set -e                                         ⇒ 
		set -o vi                                      ⇒ 
		set -f                                         ⇒ 
		shopt -s globstar                              ⇒ 
		shopt -s nullglob extglob                      ⇒ 
		shopt -u nullglob                              ⇒ 
		export PATH=$PWD/bin:$PATH                     ⇒ 
		export FOO=bar                                 ⇒ 
		export NODE_ENV=production                     ⇒ 
		HISTTIMEFORMAT='%F '                           ⇒ 
		HISTSIZE=10000                                 ⇒ 
		HISTCONTROL=erasedups                          ⇒ 
		declare -f                                     ⇒ 
		declare -f foo                                 ⇒ 
		declare -p x                                   ⇒ 
		readonly X=1                                   ⇒ 
		builtin cd src                                 ⇒ 
		command ls                                     ⇒ 
		command -v git                                 ⇒ 
		enable -a                                      ⇒ 
		enable                                         ⇒ 
		type trap                                      ⇒ 
		bind -P                                        ⇒ 
		bind -l                                        ⇒ 
		alias ll='ls -l'                               ⇒ 
		unalias ll                                     ⇒ 
		foo() { ls; }                                  ⇒ 
		local x=1                                      ⇒ 
		gdb ./a.out                                    ⇒ 
		gdb -batch -ex run ./a.out                     ⇒ 
		strace ls                                      ⇒ 
		strace -f -o out ls                            ⇒ 
		ltrace ./a.out                                 ⇒ 
		systemctl status nginx                         ⇒ 
		systemctl --user restart myapp                 ⇒ 
		systemctl --user daemon-reload                 ⇒ 
		python3 -c 'import termios; print(termios.tcgetattr(0))' ⇒ 
		python3 -c 'import socket; s=socket.socket(); s.connect(("h",80))' ⇒ 
		socat - TCP:host:80                            ⇒ 
		nc -l 8080                                     ⇒ 
		xdotool getactivewindow                        ⇒ 
		wl-copy < README.md                            ⇒ 
		expect script.exp                              ⇒ 
		script -q log                                  ⇒ 
		extdird status                                 ⇒ 
		extdird explain 'ls'                           ⇒ 
		extdird why                                    ⇒ 
		extdird pending                                ⇒ 
		extdird log -n 5                               ⇒ 
		extdird config check                           ⇒ 
		grep -r extdir .                               ⇒ 
		git commit -m 'kill extdird with pkill'        ⇒ 
		echo "trap - DEBUG" > notes.md                 ⇒ 
		echo 'PS0=x'                                   ⇒ 
		rg PROMPT_COMMAND                              ⇒ 
		env FOO=1 make                                 ⇒ 
		env -u FOO make                                ⇒ 
		exec 3>log                                     ⇒ 
		exec ls                                        ⇒ 
		sudo apt-get update                            ⇒ 
		ssh host ls                                    ⇒ 
		docker exec -it c ls                           ⇒ 
		docker run --rm img                            ⇒ 
		fc -l                                          ⇒ 
		fc -ln -5                                      ⇒ 
		(trap - DEBUG; ls)                             ⇒ 
	`)
}

// TestOwnProcess: a debugger may go into what the line itself started or named.
func TestOwnProcess(t *testing.T) {
	typed(t, "bash", `
		./server & strace -p $!                        ⇒
		strace -p $(pgrep node)                        ⇒
		strace -f -p ‵pgrep node‵                      ⇒
		gdb -p $$                                      ⇒ self:ask
		gdb ./a.out core                               ⇒
		gdb --args ./a.out -p 3                        ⇒
		strace -o out ls -p 3                          ⇒
		kill -1 123                                    ⇒
		kill -s HUP 123                                ⇒
		kill -9 -123                                   ⇒
		pkill -u u node                                ⇒
		python3 -c 'import fcntl; fcntl.ioctl(0, 0x5413)' ⇒
		grep -rn TIOCSTI src                           ⇒
		cp bin/extdird dist/                           ⇒
		go build -o bin/extdird ./src                  ⇒
		tmux select-pane -t 1                          ⇒
		xdotool search --name x                        ⇒
		enable -n test                                 ⇒
		bind '"\C-x\C-e": edit-and-execute-command'    ⇒ self:ask
	`)
}
