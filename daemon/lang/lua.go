package lang

import (
	"extdir/daemon/access"
)

// lua is the grammar of Lua.
var lua = &grammar{
	name:          "lua",
	comment:       []string{"--", "#!"},
	quotes:        "'\"",
	style:         func(byte) style { return style{escapes: pythonEscapes} },
	special:       luaToken,
	concat:        "..",
	member:        ".",
	stringly:      true,
	skip:          words(`if elseif else then end do while until repeat local return break goto and or not`),
	beforeOperand: words(`return and or not local in until while if elseif`),
	text: words(`print error assert format_ match gmatch gsub find sub len rep byte upper lower tostring tonumber type pairs ipairs select
		write io.write io.stderr.write warn`),
	calls: table(`
		m: io.open
		r: io.lines io.input lfs.attributes lfs.symlinkattributes lfs.chdir io.readfile
		l>o: lfs.dir
		w: io.output os.remove lfs.mkdir lfs.rmdir lfs.touch
		bw: os.rename
		rw: lfs.link
		h: os.execute io.popen
		x: dofile loadfile package.loadlib
		c: load loadstring dostring
		i: require
		h: vim.fn.system vim.fn.systemlist vim.fn.jobstart vim.fn.termopen
		r: vim.fn.readfile vim.fn.glob vim.fn.filereadable vim.loop.fs_open vim.uv.fs_open
		tw: vim.fn.writefile
		w: vim.fn.delete vim.fn.mkdir
		a: vim.system
		>/tmp/lua: os.tmpname
	`),
	consts:    map[string]string{"arg": "@", "nil": "?", "true": "?", "false": "?", "io.stdin": "?", "io.stdout": "?", "io.stderr": "?"},
	modules:   words("os io package _G"),
	statement: luaStatement,
	primary: func(p *script, t token) (term, bool) {
		if t.kind == 'i' && t.text == "function" {
			p.i++
			p.define("")
			return term{v: computed}, true
		}
		if t.kind == 'o' && t.text == "#" {
			p.i++
			p.operand()
			return term{v: computed}, true
		}
		return term{}, false
	},
	call: func(p *script, v term, args []arg) (term, bool) {
		pos := func(i int) value {
			if i < len(args) {
				return args[i].t.v
			}
			return computed
		}
		switch v.path {
		case "os.getenv":
			if s, _ := pos(0).lit(); s == "HOME" {
				return term{v: constant(home(0, 0))}, true
			}
			return term{v: computed}, true
		case "string.format":
			if f := pos(0); len(f.forms) == 1 && len(args) > 0 {
				var rest []value
				for _, a := range args[1:] {
					rest = append(rest, a.t.v)
				}
				return term{v: format(f.forms[0], rest)}, true
			}
			return term{v: computed}, true
		case "string.char":
			out := constant(access.Word{})
			for _, a := range args {
				out = out.concat(character(a.t.v))
			}
			return term{v: out}, true
		case "table.concat":
			sep := constant(access.Word{})
			if len(args) > 1 {
				sep = pos(1)
			}
			return term{v: joinText(sep, pos(0))}, true
		case "vim.cmd", "vim.api.nvim_command", "vim.api.nvim_exec", "vim.api.nvim_exec2":
			for _, w := range pos(0).forms {
				readVim(w, p.h)
			}
			if pos(0).computed {
				p.h.Unknown("computed command in lua code")
			}
			return term{v: computed}, true
		case "ipairs", "pairs":
			return term{v: pos(0)}, true
		}
		return term{}, false
	},
}

// luaToken reads [[…]], [=[…]=] and comments of that form.
func luaToken(l *lexer, c byte) bool {
	a := l.i
	if c != '[' {
		return false
	}
	j := a + 1
	for j < len(l.s) && l.s[j] == '=' {
		j++
	}
	if j >= len(l.s) || l.s[j] != '[' || j-a > 100 {
		return false
	}
	end := "]" + l.s[a+1:j] + "]"
	l.i = j + 1
	l.str(a, end, style{plain: true})
	return true
}

func luaStatement(p *script, t token) bool {
	if t.kind != 'i' {
		return false
	}
	switch t.text {
	case "for":
		p.i++
		var names []string
		for n := 0; n < 16; n++ {
			m := p.peek()
			if m.kind == 'i' && m.text == "in" {
				p.i++
				v := p.expr()
				if len(names) > 1 {
					names = names[len(names)-1:]
				}
				p.bind(names, v.v)
				return true
			}
			if m.kind == 'e' || m.kind == 'o' && m.text == "=" {
				return true
			}
			if m.kind == 'i' {
				names = append(names, m.text)
			}
			p.i++
		}
		return true
	case "function":
		p.i++
		name := p.peek().text
		for p.at(1).kind == 'o' && (p.at(1).text == "." || p.at(1).text == ":") {
			p.i += 2
			name += "." + p.peek().text
		}
		p.define(name)
		return true
	case "return":
		return rubyStatement(p, t)
	}
	return false
}
