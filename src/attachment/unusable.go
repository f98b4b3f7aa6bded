package attachment

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// pull brings the clone to what the remote has.
func (a *Attachment) pull(ctx context.Context) error {
	_, err := a.repository.Pull(ctx)
	return unusable(err)
}

// unusable makes what is wrong with the repository or how it is asked, which is nobody's fault who reads or
// writes documents, CodeUnavailable. Other errors stay; nil does.
func unusable(err error) error {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeInvalid, dovetail.CodeUnauthenticated, dovetail.CodeUnprocessable:
	default:
		return err
	}
	e := dovetail.AsError(err)
	u := &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the instance repository cannot be used: " + e.Message, Remedy: e.Remedy, Errors: e.Errors, Err: e}
	if e.Code == dovetail.CodeUnprocessable { // a file of it, not where it is
		u.Position = e.Position
	}
	return u
}
