package session

import (
	"path/filepath"
	"strings"
)

// Programs are names of programs that a user adds to those that are known. The zero
// value adds none.
type Programs struct {
	agents    map[string]string // name, as the kernel cuts it as well → agent
	places    map[string]string // part of a path → agent
	terminals map[string]bool
}

// NewPrograms takes the programs of agents, by the agent's name (a name of an
// executable or script, or with a slash a part of its path), and of terminals.
func NewPrograms(agents map[string][]string, terminals []string) *Programs {
	p := &Programs{agents: map[string]string{}, places: map[string]string{}, terminals: map[string]bool{}}
	for agent, names := range agents {
		for _, n := range names {
			if strings.Contains(n, "/") {
				p.places[n] = agent
				continue
			}
			for _, n := range asKept(n) {
				p.agents[n] = agent
			}
		}
	}
	for _, n := range terminals {
		for _, n := range asKept(n) {
			p.terminals[n] = true
		}
	}
	return p
}

// asKept are a name and what the kernel keeps of it.
func asKept(name string) []string {
	if len(name) > commLen {
		return []string{name, name[:commLen]}
	}
	return []string{name}
}

// agentAt names the agent that a path is the program of.
func (p *Programs) agentAt(path string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	base := filepath.Base(path)
	if name, ok := p.agents[base]; ok {
		return name
	}
	if name, ok := p.agents[strings.TrimSuffix(base, filepath.Ext(base))]; ok {
		return name
	}
	for part, name := range p.places {
		if strings.Contains(path, part) {
			return name
		}
	}
	return agentAt(path)
}

// classOf is the class of a program, by its name or path.
func (m *Manager) classOf(name string) class {
	if m.named().terminals[filepath.Base(name)] {
		return classTerminal
	}
	return classOf(name)
}

// named are the names that the user added.
func (m *Manager) named() *Programs {
	if m.cfg.Programs != nil {
		if p := m.cfg.Programs(); p != nil {
			return p
		}
	}
	return &Programs{}
}
