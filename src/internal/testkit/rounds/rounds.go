// Package rounds decides how often a test repeats what depends on chance: a race, a kill at a random moment, a random
// history. Every run of the tests does so many rounds that a defect of the usual kind shows; a scheduled run, with
// DOVETAIL_TEST_LONG set to anything, does so many that a rare one does:
//
//	DOVETAIL_TEST_LONG=1 go test -timeout 60m ./...
//
// Tests that need a long run to mean something, such as those that kill processes, run in a scheduled run, or with few
// rounds if DOVETAIL_TEST_SOAK is "short".
//
// Damage is what such tests do to files.
package rounds

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Of is the first number usually, and the second with DOVETAIL_TEST_LONG.
func Of(usual, long int) int {
	if os.Getenv("DOVETAIL_TEST_LONG") != "" {
		return long
	}
	return usual
}

// Soak skips a test of the nightly tier unless DOVETAIL_TEST_LONG is set, or DOVETAIL_TEST_SOAK is "short".
func Soak(t testing.TB) {
	t.Helper()
	if os.Getenv("DOVETAIL_TEST_LONG") == "" && os.Getenv("DOVETAIL_TEST_SOAK") != "short" {
		t.Skip("a soak test: set DOVETAIL_TEST_SOAK=short for a few rounds, or DOVETAIL_TEST_LONG=1 for many")
	}
}

// Checks has rapid draw so many cases for each property of the test, chosen as by Of. A number given with -rapid.checks takes
// precedence. It is for tests that do not run in parallel with others: rapid keeps the number in one variable.
func Checks(t testing.TB, usual, long int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f == checks })
	if given {
		return
	}
	before := checks.Value.String()
	set := func(number string) {
		if err := checks.Value.Set(number); err != nil {
			t.Fatal(err)
		}
	}
	set(strconv.Itoa(Of(usual, long)))
	t.Cleanup(func() { set(before) })
}
