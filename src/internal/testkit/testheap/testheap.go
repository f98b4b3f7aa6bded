// Package testheap gives the tests that import it a larger heap: garbage is collected when there is four times as much of
// it as live memory, not as much. Tests hold little and make much, so this saves up to a third of their processor time.
// Benchmarks keep the share of the product, and GOGC takes precedence. It is imported for this effect:
//
//	import _ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
//
// Peak measures how much memory something takes.
package testheap

import (
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

const larger = 400

// percent is the garbage that there may be, of live memory.
var percent = enlarge(os.Args[1:])

func enlarge(args []string) int {
	if _, given := os.LookupEnv("GOGC"); given || benchmarks(args) {
		return 100
	}
	debug.SetGCPercent(larger)
	return larger
}

// benchmarks reports whether a test program with these arguments runs benchmarks. Flags are not parsed yet when packages are
// initialized; go test writes this one as here.
func benchmarks(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
}
