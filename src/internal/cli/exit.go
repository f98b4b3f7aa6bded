package cli

import (
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The exit codes. `dovetail help exit-codes` documents them; scripts rely on them.
const (
	ExitOK          = 0   // done
	ExitDifferent   = 1   // the question was answered with "not the same" or "not in order"
	ExitUsage       = 2   // unknown verb, flag or argument: nothing was tried
	ExitUnsat       = 2   // resolve: the constraints cannot be satisfied
	ExitNotFound    = 3   // the document, collection or route does not exist
	ExitRefused     = 4   // what is stored forbids the change
	ExitUnavailable = 5   // the server or its store cannot answer now
	ExitInvalid     = 6   // the input breaks a rule
	ExitForbidden   = 7   // not logged in, or not allowed
	ExitBroken      = 8   // stored data is damaged, or Dovetail itself is at fault
	ExitInterrupted = 130 // ended by a signal
)

// errDifferent ends a verb that answered its question with "no": differences, findings. The answer
// itself was shown.
var errDifferent = errors.New("different")

// answered reports whether the error only tells that an answer was no, and was shown.
func answered(err error) bool {
	return errors.Is(err, errDifferent) || errors.Is(err, errUnsatisfiable)
}

// ExitCode maps an error of a verb to the program's exit code.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, errDifferent):
		return ExitDifferent
	case errors.Is(err, errUnsatisfiable):
		return ExitUnsat
	case isUsage(err):
		return ExitUsage
	}
	switch dovetail.CodeOf(err) {
	case dovetail.CodeNotFound:
		return ExitNotFound
	case dovetail.CodeExists, dovetail.CodeMissing, dovetail.CodeInUse, dovetail.CodeStale, dovetail.CodeRequired,
		dovetail.CodeConflict, dovetail.CodeExpired:
		return ExitRefused
	case dovetail.CodeUnavailable, dovetail.CodeUnknown, dovetail.CodeTimeout, dovetail.CodeRateLimited:
		return ExitUnavailable
	case dovetail.CodeInvalid, dovetail.CodeUnprocessable, dovetail.CodeSchema, dovetail.CodeTooLarge,
		dovetail.CodeMediaType, dovetail.CodeNotAcceptable, dovetail.CodeMethod:
		return ExitInvalid
	case dovetail.CodeUnauthenticated, dovetail.CodeForbidden:
		return ExitForbidden
	case dovetail.CodeCanceled:
		return ExitInterrupted
	case dovetail.CodeCorrupt, dovetail.CodeInternal:
		return ExitBroken
	}
	return ExitBroken
}

// isUsage reports whether the error is one of the command line: our own, or cobra's, whose errors
// (unknown command, wrong number of arguments) are of no type of their own.
func isUsage(err error) bool {
	var known *dovetail.Error
	foreign := !errors.As(err, &known) && !answered(err) && dovetail.CodeOf(err) == dovetail.CodeInternal
	return errors.Is(err, errUsage) || foreign
}
