package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the CPU time of the process: what the garbage collector does on its own
// threads counts for who made the garbage.
func cpuTime() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
