package wire

import (
	"golang.org/x/sys/unix"
)

// SocketAddr is the address of the socket name in the directory dir. There is no
// /proc to shorten it with; sun_path has 104 bytes (sys/un.h).
func SocketAddr(_ int, dir, name string) (*unix.SockaddrUnix, error) {
	path := dir + "/" + name
	if len(path) > 103 {
		return nil, &pathError{path, "is too long for a socket (103 bytes at the most); use a shorter directory", unix.ENAMETOOLONG}
	}
	return &unix.SockaddrUnix{Name: path}, nil
}

func socket() (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}
