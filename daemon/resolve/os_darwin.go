package resolve

import (
	"bytes"
	"path"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TrueName asks the kernel under which name a file is stored (fcntl(2), F_GETPATH):
// most volumes of macOS take /ETC/Passwd for /etc/passwd, and a decomposed ü for a
// composed one. What can't be opened, even for events alone, keeps its last
// component as it is.
func (system) TrueName(name string) string {
	fd, err := unix.Open(name, unix.O_SYMLINK|unix.O_EVTONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		if dir := path.Dir(name); dir != name && dir != "/" {
			return path.Join(system{}.TrueName(dir), path.Base(name))
		}
		return name
	}
	defer unix.Close(fd)
	var buf [1024]byte // MAXPATHLEN of sys/param.h, which F_GETPATH writes up to
	if _, _, errno := unix.Syscall(unix.SYS_FCNTL, uintptr(fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&buf[0]))); errno != 0 {
		return name
	}
	if n := bytes.IndexByte(buf[:], 0); n > 0 {
		return string(buf[:n])
	}
	return name
}
