package corpus

import (
	"os"
	"path/filepath"
	"strings"
)

// Dirs, files and links of the tree that the labels assume, relative to its top.
const (
	fixtureDirs = `etc/cron.d etc/ssl tmp usr/bin usr/include usr/lib var/log opt srv root/.ssh proc dev
projects/app/src projects/app/docs projects/app/build projects/app/packages projects/other
home/u/.ssh home/u/.config home/u/notes
projects/app/services/api projects/app/services/web projects/app/apps/web/src projects/app/apps/api
projects/app/packages/a projects/app/packages/b projects/app/packages/ui projects/app/packages/core
projects/app/sub projects/app/dist projects/app/scripts projects/app/cmd projects/app/internal
projects/app/frontend projects/app/backend projects/app/web projects/app/api projects/app/tests
projects/app/test projects/app/lib projects/app/node_modules projects/app/.git/hooks`

	fixtureFiles = `etc/passwd etc/shadow etc/hosts etc/hostname etc/issue etc/group etc/fstab etc/profile
projects/app/README.md projects/app/data.txt projects/app/.env projects/app/Makefile projects/app/package.json
projects/app/script.sh projects/app/x.sh projects/app/src/main.go projects/app/src/util.go projects/app/docs/a.md
projects/other/secret.txt projects/other/run.sh projects/other/env.sh projects/other/Makefile
home/u/.bashrc home/u/.ssh/id_rsa root/.ssh/id_rsa`

	fixtureLinks = `projects/app/link_etc=/etc projects/app/link_passwd=/etc/passwd projects/app/link_up=..
projects/app/link_home=/home/u projects/app/link_in=src`
)

// Fixture builds the tree that the labels assume below dir, for --fs-root dir.
func Fixture(dir string) error {
	for _, d := range strings.Fields(fixtureDirs) {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	for _, f := range strings.Fields(fixtureFiles) {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("x\n"), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "projects/app/list.txt"), []byte("/etc/passwd\n"), 0o644); err != nil {
		return err
	}
	for _, l := range strings.Fields(fixtureLinks) {
		name, target, _ := strings.Cut(l, "=")
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
