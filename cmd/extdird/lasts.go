package main

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// lasting is a flag that says how long: as Go writes it (30m, 1h30m), or in days.
type lasting struct {
	d   time.Duration
	set bool
}

var errLasting = errors.New("say how long, as in 30m, 8h or 2d")

func (l *lasting) Set(s string) error {
	d, err := parseLasting(s)
	switch {
	case err != nil:
		return err
	case d < time.Second:
		return errors.New("too short: " + errLasting.Error())
	}
	l.d, l.set = d, true
	return nil
}

func (l *lasting) String() string {
	if !l.set {
		return ""
	}
	return lastingText(l.d)
}

func (l *lasting) Type() string { return "time" }

// maxLasting is a year: the daemon keeps nothing longer.
const maxLasting = 366 * 24 * time.Hour

// parseLasting reads a time, which may be 0.
func parseLasting(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		d = time.Duration(n) * 24 * time.Hour
	}
	switch {
	case err != nil || d < 0:
		return 0, errLasting
	case d > maxLasting:
		return 0, errors.New("that is too long: 366d at the most")
	}
	return d, nil
}

// lastingText is a time as a person would say it.
func lastingText(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
