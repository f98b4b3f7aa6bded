package gitsync

import (
	"context"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// pull brings the clone to what the remote has.
func (a *Syncer) pull(ctx context.Context) error {
	_, err := a.repository.Pull(ctx)
	return unusable(err)
}

// concealed returns an error of work that is done as the system, and may name documents of others, as a principal may
// see it: one that may not read everything gets only the failure; the log has the details.
func (a *Syncer) concealed(ctx context.Context, err error) error {
	if err == nil || a.store.Readable(ctx) == nil {
		return err
	}
	e := dovetail.AsError(err)
	switch {
	case e.Code == dovetail.CodeCanceled, e.Code == dovetail.CodeTimeout, e.Code == dovetail.CodeForbidden:
		return err
	}
	a.options.Log.Warn("the instance repository and the store do not fit together", "error", err)
	return &dovetail.Error{Code: e.Code, Reason: e.Reason, Message: "the instance repository cannot be used for this",
		Remedy: "ask the operator of the server to read its log"}
}

// unusable gives errors of the repository, or of the requests to it, which no client that reads or writes documents
// causes, CodeUnavailable. Other errors and nil stay as they are.
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
