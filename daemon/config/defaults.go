package config

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"extdir/daemon/policy"
)

var parsedDefaults = sync.OnceValue(func() []policy.Entry {
	f, bad := parse("", DefaultRules, defaultsFile)
	if len(bad) > 0 {
		panic("config: the defaults are broken: " + bad[0].Error()) // a test reads them
	}
	return f.rules
})

// defaults are the rules that ship with extdir. $TMPDIR counts only where
// temporary files live: a session started with TMPDIR=$HOME opens nothing.
func defaults(o *Options) []policy.Entry {
	all := parsedDefaults()
	if temporary(o) {
		return all
	}
	var out []policy.Entry
	for _, e := range all {
		if !strings.HasPrefix(e.Pattern, "$TMPDIR") {
			out = append(out, e)
		}
	}
	return out
}

func temporary(o *Options) bool {
	if !filepath.IsAbs(o.TmpDir) {
		return false
	}
	return belowTemporary(filepath.Clean(o.TmpDir)) && belowTemporary(o.Resolve(o.TmpDir))
}

func belowTemporary(dir string) bool {
	for _, t := range []string{
		"/tmp", "/var/tmp", "/var/folders",
		"/private/tmp", "/private/var/tmp", "/private/var/folders", // where macOS keeps them
		"/run/user/" + strconv.Itoa(os.Getuid()),
	} {
		if dir == t || strings.HasPrefix(dir, t+"/") {
			return true
		}
	}
	return false
}
