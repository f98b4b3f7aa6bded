// Package rounds decides how often a test repeats what depends on chance: a race, a kill at a random moment, a random
// history. Every run of the tests does so many rounds that a defect of the usual kind shows; a scheduled run, with
// DOVETAIL_TEST_LONG set to anything, does so many that a rare one does:
//
//	DOVETAIL_TEST_LONG=1 go test -timeout 60m ./...
//
// It imports nothing of Dovetail, and only tests import it.
package rounds

import "os"

// Of is the first number usually, and the second with DOVETAIL_TEST_LONG.
func Of(usual, long int) int {
	if os.Getenv("DOVETAIL_TEST_LONG") != "" {
		return long
	}
	return usual
}
