package session

import (
	"path/filepath"
	"strings"
)

// passers stand between a person and a shell without typing into it themselves: what
// starts a shell on the terminal it was given, and the shells and editors that a
// person opens one from.
var passers = func() map[string]bool {
	m := map[string]bool{}
	for n := range strings.FieldsSeq(`
		bash zsh sh dash ash ksh mksh fish nu xonsh elvish tcsh csh busybox
		env nice ionice timeout setsid stdbuf time chrt taskset nohup unshare nsenter setpriv systemd-run
		sudo su doas runuser pkexec newgrp sg login machinectl bwrap firejail proot fakeroot
		script scriptreplay asciinema ttyrec rlwrap dbus-run-session dbus-launch ssh-agent gpg-agent xdg-open
		nix nix-shell direnv conda mamba micromamba poetry pipenv uv pixi hatch devbox devenv guix toolbox distrobox flatpak
		vim vi nvim gvim emacs emacsclient nano micro helix hx kak joe ed less more man git make mc ranger nnn lf yazi vifm
		gdb lldb watch entr just task xargs find`) {
		m[n] = true
	}
	return m
}()

// containerInits are programs that start a container's program and collect its dead.
var containerInits = map[string]bool{"tini": true, "tini-static": true, "docker-init": true, "dumb-init": true, "catatonit": true}

// agent names the agent whose program a process is, "" if it is none. What can't be
// read is told by its name in the process table alone.
func (m *Manager) agent(p Proc) string {
	named := m.named()
	if name, ok := named.agents[p.Comm]; ok {
		return name
	}
	if name, ok := agentNames[p.Comm]; ok {
		return name
	}
	if interactiveShells[p.Comm] || m.classOf(p.Comm) != classNone {
		return ""
	}
	exe, _ := m.table.Exe(p.Pid)
	args, _ := m.table.Args(p.Pid)
	return named.agentOf(p.Comm, exe.Path, args)
}

// drive begins the session of an agent that stands above a shell and wasn't started
// by "extdird run". It is found by its program; or, above an interactive shell, by
// there being a program that isn't known to leave the keyboard to a person. Where a
// session is known already, nothing begins but what an agent below it was started as.
func (m *Manager) drive(chain []Proc, interactive bool) {
	at, name := m.driver(chain, interactive)
	if at > 0 || name != "" {
		m.found(chain[at:], name)
	}
}

// found begins the session of an agent that stands at the beginning of a chain.
func (m *Manager) found(chain []Proc, name string) {
	var roots []string
	if cwd, err := m.table.Cwd(chain[0].Pid); err == nil {
		if root := FindRoot(cwd, m.cfg.Home); root != "" {
			roots = []string{root}
		}
	}
	m.track()
	o := Options{Agent: name, Home: m.cfg.Home, Found: true}
	if s, begun := m.begin(chain, o, Agent, roots); begun {
		m.keep(s.Key)
	}
}

// driver finds where in a chain the session of an agent must begin; 0 and "" if it
// need not.
func (m *Manager) driver(chain []Proc, interactive bool) (at int, name string) {
	end := len(chain)
	var human Session
	m.mu.Lock()
	left := m.left(chain) >= 0
	for i, up := range chain {
		if s, ok := m.above(up.ID); ok {
			end, human = i, s
			break
		}
	}
	m.mu.Unlock()
	if left || human.Driver == Agent {
		return 0, ""
	}
	// The topmost: what an agent starts as another's program is its own doing.
	for i := min(end, len(chain)-1); i > 0; i-- {
		if name := m.agent(chain[i]); name != "" {
			return i, name
		}
	}
	if !interactive {
		return 0, ""
	}
	shell := chain[0]
	if human.Key != "" && (shell.TTY == 0 || m.table.TTYName(shell.TTY) == human.TTY) {
		return 0, "" // a shell in a shell, on the person's own terminal
	}
	if name := m.marker(shell.Pid); name != "" {
		return 0, name
	}
	for i := 1; i < end; i++ {
		up := chain[i]
		if m.persons(up) {
			return at, name
		}
		if up.Pid == 1 {
			// What a container was started for, on the terminal it was given.
			if at == 0 && !(up.TTY != 0 && up.TTY == shell.TTY && (interactiveShells[up.Comm] || containerInits[up.Comm])) {
				return 0, "unknown"
			}
			break
		}
		if !passers[up.Comm] && !passers[m.base(up)] {
			at, name = i, up.Comm
		} else if at > 0 {
			break
		}
	}
	return at, name
}

// persons tells whether a process is where a person's keys come from: a login, a
// terminal, a multiplexer, a desktop, or what entered the machine from outside.
func (m *Manager) persons(p Proc) bool {
	if p.Parent == 0 && p.Pid != 1 {
		return true
	}
	return m.classOf(p.Comm) != classNone || m.classOf(m.base(p)) != classNone
}

// base is the file name of a process's program, "" if it can't be read.
func (m *Manager) base(p Proc) string {
	exe, err := m.table.Exe(p.Pid)
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(exe.Path, " (deleted)"))
}

// marker names the agent that marked a process's first environment.
func (m *Manager) marker(pid int) string {
	env, err := m.table.Env(pid)
	if err != nil {
		return ""
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		if agent, ok := markers[name]; ok && value != "" && value != "0" {
			return agent
		}
	}
	return ""
}
