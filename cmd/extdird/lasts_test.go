package main

import (
	"testing"
	"time"
)

func TestLasting(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"8h": 8 * time.Hour, "30m": 30 * time.Minute, "2d": 48 * time.Hour, "1h30m": 90 * time.Minute, "1s": time.Second,
	} {
		var l lasting
		if err := l.Set(text); err != nil || l.d != want || !l.set || l.String() != text {
			t.Errorf("%s: %+v (%s), %v", text, l, l.String(), err)
		}
	}
	for _, text := range []string{"0", "0s", "0d", "-1h", "0.1s", "", "8", "soon", "d", "1.5d", "-2d", "367d", "99999h", "1d2h"} {
		var l lasting
		if err := l.Set(text); err == nil || l.set {
			t.Errorf("%q is taken as %v", text, l.d)
		}
	}
}
