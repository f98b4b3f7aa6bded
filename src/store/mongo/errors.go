package mongo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Server error codes that mean that a request was rejected before it had any effect.
var rejectedCodes = []int{
	2, 9, 59, 115, 238, // bad value, does not parse, no such command, not supported, not implemented
	13, 18, 8000, // not authorized, authentication failed, rejected by Atlas
	10107, 13435, 13436, // not the primary
}

// Server error codes that mean that a document is too large.
var tooLargeCodes = []int{10334, 17419, 17420}

// readError maps the error of a read.
func readError(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return dovetail.AsError(ctx.Err())
	}
	return unavailable(err)
}

// ReadError maps an error of the driver, for a command without changes, to CodeUnavailable or to the code of an ended context.
func ReadError(ctx context.Context, err error) error { return readError(ctx, err) }

// writeError maps the error of a write. The outcome is unknown unless the write certainly has no effect, now or later.
func writeError(ctx context.Context, err error) error {
	var own *dovetail.Error
	var tooMuch mongo.ServerError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own): // an encoding error
		return own
	case errors.Is(err, driver.ErrDocumentTooLarge), errors.As(err, &tooMuch) && hasCode(tooMuch, tooLargeCodes):
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "the document is larger than the database takes",
			Remedy: "split it into smaller ones", Err: err}
	case notSent(err) && ctx.Err() != nil:
		return dovetail.AsError(ctx.Err())
	case notSent(err) || rejected(err):
		return unavailable(err)
	}
	return &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the database did not say whether the write was done", Err: err}
}

// notSent reports whether the request did not reach a server, because no server or connection was available.
func notSent(err error) bool {
	var selection topology.ServerSelectionError
	var queue topology.WaitQueueTimeoutError
	var dial *net.OpError
	return errors.As(err, &selection) || errors.As(err, &queue) || errors.As(err, &dial) && dial.Op == "dial" ||
		errors.Is(err, mongo.ErrClientDisconnected)
}

// rejected reports whether the server rejected the request.
func rejected(err error) bool {
	var command mongo.CommandError
	if errors.As(err, &command) && !mongo.IsNetworkError(err) {
		return slices.Contains(rejectedCodes, int(command.Code))
	}
	return false
}

func hasCode(err mongo.ServerError, codes []int) bool {
	return slices.ContainsFunc(codes, err.HasErrorCode)
}

func unavailable(err error) error {
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the database cannot be reached", Remedy: "try again", Err: err}
	var server mongo.ServerError
	switch {
	case errors.As(err, &server) && hasCode(server, []int{13, 18, 8000}):
		e.Message, e.Remedy = "the database does not let Dovetail in", "check user and password in the connection string, and the user's rights"
	case errors.As(err, &server) && hasCode(server, []int{10107, 13435, 13436}):
		e.Message = "the database is not writable at the moment"
	case errors.As(err, &server):
		e.Message = "the database refused a request"
	}
	return e
}

func corrupt(message string) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Message: message, Remedy: "restore the database from an export"}
}

func internal(err error) error {
	return &dovetail.Error{Code: dovetail.CodeInternal, Message: "a document cannot be encoded for the database", Err: err}
}

func tooLarge(id dovetail.ID, size int) error {
	return &dovetail.Error{Code: dovetail.CodeTooLarge, Key: id,
		Message: fmt.Sprintf("%s takes %d bytes as the database stores it, more than the %d that it takes", id, size, maxStored),
		Remedy:  "split it into smaller ones"}
}
