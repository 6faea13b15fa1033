package word

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// The random tests draw the same words on every run at a desk, so that a change
// doesn't pass now and fail a moment later, and others on every run in CI, which
// prints the seed to repeat it with. To search: -rapid.seed=N -rapid.checks=5000.
func TestMain(m *testing.M) {
	flag.Parse()
	f := flag.Lookup("rapid.seed")
	if f != nil && f.Value.String() == "0" {
		set := map[string]string{"rapid.seed": "1"}
		if os.Getenv("CI") == "true" {
			set = map[string]string{"rapid.seed": strconv.FormatInt(time.Now().UnixNano()%1e12, 10), "rapid.checks": "1000"}
			fmt.Println("-rapid.seed=" + set["rapid.seed"])
		}
		for name, value := range set {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}
