package daemon

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Harden keeps other processes of the user from attaching to this one, reading
// its memory or taking its descriptors: an agent's process is one of them, and
// where the kernel has no Yama, ptrace is open to it (prctl(2), PR_SET_DUMPABLE;
// ptrace(2), access mode checking). Our own /proc/self/fd stays usable.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("can't keep other processes from attaching to the daemon: %w", err)
	}
	return nil
}
