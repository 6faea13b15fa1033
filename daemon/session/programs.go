package session

import (
	"path/filepath"
	"strings"
)

// class is what kind of program stands above a shell.
type class uint8

const (
	classNone class = iota
	classLogin
	classTerminal
	classMultiplexer
	classDesktop
)

// programs are names of executables, as files or as the kernel keeps them (cut
// at 15 bytes on Linux). A name alone proves nothing: person.go says what else
// must hold.
//
// "systemd" is left out on purpose. The manager of a user's services adopts
// orphans, so that a process below it may have come from anywhere.
var programs = map[class][]string{
	classLogin: {
		"login", "sshd", "sshd-session", "mosh-server", "dropbear", "telnetd", "in.telnetd",
		"gdm-session-worker", "gdm-x-session", "gdm-wayland-session", "lightdm", "sddm",
		"sddm-helper", "lxdm", "xdm", "greetd", "ly", "ly-dm", "cosmic-greeter", "et",
		"etserver", "etterminal", "loginwindow",
	},
	classTerminal: {
		"alacritty", "blackbox", "contour", "cool-retro-term", "deepin-terminal", "eterm",
		"foot", "footclient", "gnome-console", "gnome-terminal-server", "guake", "havoc",
		"hyper", "iTerm2", "iTermServer", "kgx", "kitty", "konsole", "lilyterm",
		"lxterminal", "mate-terminal", "mintty", "mlterm", "ptyxis", "ptyxis-agent", "qterminal",
		"rio", "roxterm", "rxvt", "sakura", "st", "stterm", "tabby", "terminal", "Terminal",
		"terminator", "terminology", "termite", "tilda", "tilix", "urxvt", "urxvtd",
		"warp", "warp-terminal", "wayst", "wezterm", "wezterm-gui", "wezterm-mux-server",
		"xfce4-terminal", "xterm", "yakuake", "ghostty", "zutty", "cosmic-term", "fbterm", "kmscon",
		// terminals inside editors
		"code", "code-insiders", "code-oss", "codium", "vscodium", "zed", "zed-editor",
		"idea", "goland", "pycharm", "webstorm", "clion", "rustrover", "sublime_text",
	},
	classMultiplexer: {
		"tmux", "tmux: server", "screen", "SCREEN", "zellij", "abduco", "dtach", "dvtm", "byobu", "shpool",
	},
	// Desktops start terminals; they are no brokers that run a program because
	// another program asks them to.
	classDesktop: {
		"gnome-shell", "gnome-session-binary", "gnome-session", "plasmashell", "kwin_wayland",
		"kwin_x11", "startplasma-wayland", "startplasma-x11", "ksmserver", "sway", "Hyprland",
		"hyprland", "river", "labwc", "wayfire", "niri", "weston", "cosmic-session", "cosmic-comp",
		"i3", "bspwm", "openbox", "fluxbox", "awesome", "xmonad", "dwm", "herbstluftwm", "qtile",
		"xfce4-session", "xfce4-panel", "mate-session", "cinnamon", "cinnamon-session-binary",
		"lxqt-session", "lxsession", "xinit", "startx", "Finder", "Dock",
	},
}

// classes finds the class of a name. Names are cut as the kernel cuts them.
var classes = func() map[string]class {
	m := map[string]class{}
	for c, names := range programs {
		for _, n := range names {
			m[n] = c
			if len(n) > commLen {
				m[n[:commLen]] = c
			}
		}
	}
	return m
}()

const commLen = 15

func classOf(name string) class {
	name = filepath.Base(name)
	if c, ok := classes[name]; ok {
		return c
	}
	// "sshd: user@pts/0", "tmux: server": titles set by the program itself.
	if head, _, ok := strings.Cut(name, ":"); ok {
		return classes[head]
	}
	return classNone
}

// interactiveShells may be pid 1 of a container that a person entered.
var interactiveShells = map[string]bool{
	"bash": true, "zsh": true, "fish": true, "sh": true, "dash": true, "ash": true,
	"ksh": true, "mksh": true, "busybox": true, "nu": true,
}
