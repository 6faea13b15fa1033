package server

import (
	"strconv"
	"time"
)

// number reads a pid or another small number; nothing else is one.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

func itoa(n int) string { return strconv.Itoa(n) }

// seconds bounds a duration given in seconds by a peer: a year.
func seconds(n int) time.Duration { return time.Duration(min(n, 366*24*3600)) * time.Second }
