package session

import (
	"path/filepath"
	"slices"
	"strings"
)

// agentProgram is how a coding agent's program is recognised. A match makes a
// session the agent's, where more is asked and nothing may be answered, so a name
// that somebody else's program bears as well costs a question and never a path.
type agentProgram struct {
	name string
	// programs are names of its executable, or of the script that an interpreter
	// runs (the link in a bin directory), separated by blanks.
	programs string
	// places are parts of the path of its executable or script, where it is
	// installed under a name that says nothing (a version, cli.js).
	places string
}

// agentPrograms is checked against the packages of 2025 and 2026: the npm package's
// directory, the name it links into bin, the native installer's directory.
var agentPrograms = []agentProgram{
	{"claude", "claude claude-code", "/@anthropic-ai/claude-code/ /claude/versions/ /.claude/local/"},
	{"codex", "codex codex-cli codex-exec", "/@openai/codex/"},
	{"gemini", "gemini gemini-cli", "/@google/gemini-cli"},
	{"opencode", "opencode", "/opencode-ai/ /.opencode/bin/"},
	{"pi", "pi pi-coding-agent", "/pi-coding-agent/"},
	{"cursor", "cursor-agent", "/cursor-agent/"},
	{"copilot", "copilot", "/@github/copilot/"},
	{"aider", "aider", "/aider-chat/ /site-packages/aider/"},
	{"amp", "amp", "/@sourcegraph/amp/"},
	{"auggie", "auggie", "/@augmentcode/auggie/"},
	{"cline", "cline", "/node_modules/cline/"},
	{"codebuff", "codebuff", "/node_modules/codebuff/"},
	{"crush", "crush", "/@charmland/crush/"},
	{"droid", "droid", "/.factory/bin/"},
	{"forge", "forge", "/node_modules/forgecode/"},
	{"goose", "goose goosed", ""},
	{"grok", "grok grok-cli", "/@vibe-kit/grok-cli/"},
	{"iflow", "iflow", "/@iflow-ai/iflow-cli/"},
	{"kilocode", "kilocode kilo", "/@kilocode/cli/"},
	{"kimi", "kimi kimi-cli", "/site-packages/kimi_cli/"},
	{"kiro", "kiro-cli kiro-cli-chat qchat", ""},
	{"openhands", "openhands", "/site-packages/openhands/"},
	{"plandex", "plandex", ""},
	{"qwen", "qwen qwen-code", "/@qwen-code/qwen-code/"},
	{"trae", "trae-cli trae-agent", ""},
	{"vibe", "vibe-acp mistral-vibe", "/site-packages/vibe/"},
}

// interpreters run scripts: of them the first word that is no option says what they
// are.
var interpreters = []string{"node", "nodejs", "bun", "deno", "tsx", "ts-node", "ruby", "uv", "uvx", "pipx", "npx", "pnpm", "yarn"}

// markers are variables that agents' hosts set for what they start. One alone proves
// nothing, but a shell that has it in its first environment was started below an
// agent, over a multiplexer's server perhaps.
var markers = map[string]string{
	"CLAUDECODE": "claude", "CLAUDE_CODE_ENTRYPOINT": "claude", "CODEX_SANDBOX": "codex", "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
	"GEMINI_CLI": "gemini", "OPENCODE": "opencode", "PI_CODING_AGENT": "pi", "CURSOR_AGENT": "cursor", "COPILOT_CLI": "copilot",
	"AIDER_CHAT": "aider", "QWEN_CODE": "qwen", "AGENT_SHELL": "agent",
}

var agentNames = func() map[string]string {
	m := map[string]string{}
	for _, a := range agentPrograms {
		for _, n := range strings.Fields(a.programs) {
			m[n] = a.name
			if len(n) > commLen {
				m[n[:commLen]] = a.name
			}
		}
	}
	return m
}()

// agentOf names the agent whose program a process is, "" if it is none.
func (p *Programs) agentOf(comm, exe string, args []string) string {
	if name, ok := p.agents[comm]; ok {
		return name
	}
	if name, ok := agentNames[comm]; ok {
		return name
	}
	if name := p.agentAt(exe); name != "" {
		return name
	}
	if len(args) == 0 {
		return ""
	}
	if name := p.agentAt(args[0]); name != "" {
		return name
	}
	if !interpreter(comm) && !interpreter(filepath.Base(exe)) && !interpreter(filepath.Base(args[0])) {
		return ""
	}
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") || a == "exec" || a == "run" || a == "x" || a == "dlx" || a == "tool" {
			continue
		}
		if name := p.agentAt(a); name != "" {
			return name
		}
		return agentNames[strings.TrimSuffix(filepath.Base(a), filepath.Ext(a))]
	}
	return ""
}

// agentAt names the agent that a path is the program of.
func agentAt(path string) string {
	path = strings.TrimSuffix(path, " (deleted)")
	if name, ok := agentNames[filepath.Base(path)]; ok {
		return name
	}
	for _, a := range agentPrograms {
		for _, p := range strings.Fields(a.places) {
			if strings.Contains(path, p) {
				return a.name
			}
		}
	}
	return ""
}

func interpreter(name string) bool {
	return slices.Contains(interpreters, name) || strings.HasPrefix(name, "python")
}
