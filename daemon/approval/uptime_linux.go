package approval

import (
	"time"

	"golang.org/x/sys/unix"
)

// uptime counts suspended time as well: half an hour is over after half an hour.
func uptime() (time.Duration, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0, err
	}
	return time.Duration(ts.Nano()), nil
}
