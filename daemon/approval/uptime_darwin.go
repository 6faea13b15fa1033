package approval

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime counts suspended time as well (clock_gettime(3): CLOCK_MONOTONIC goes
// on while the system sleeps).
func uptime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
