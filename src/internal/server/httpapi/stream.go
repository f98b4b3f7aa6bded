package httpapi

import (
	"net/http"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// stream lifts the time limits of the connection: from here on each write has its own, so that an
// answer may last, but a reader that has stopped reading is cut off. It lasts no longer than the identity of the caller.
// done must be called when the answer has ended.
func (x *requestContext) stream() (done func()) {
	x.streamed = true
	control := http.NewResponseController(&x.w)
	_ = control.SetReadDeadline(time.Time{})
	ended := x.lasting()
	return func() {
		ended()
		_ = control.SetWriteDeadline(time.Now().Add(x.api.limits.Write)) // for the end of the answer
	}
}

// send writes and flushes one part of a stream. Its error ends the stream; the client cannot receive it.
func (x *requestContext) send(part []byte) error {
	if err := x.revoked(); err != nil {
		return err
	}
	return x.transmit(part)
}

// transmit is send without the check that the identity of the caller still holds.
func (x *requestContext) transmit(part []byte) error {
	x.leave()
	control := http.NewResponseController(&x.w)
	_ = control.SetWriteDeadline(time.Now().Add(x.api.limits.Write)) // a writer without deadlines has none to set
	if _, err := x.w.Write(part); err != nil {
		return gone(err)
	}
	if err := control.Flush(); err != nil {
		return gone(err)
	}
	_ = control.SetWriteDeadline(time.Time{}) // over HTTP/2 it would end the stream although nothing is written
	return nil
}

func gone(err error) error {
	return &dovetail.Error{Code: dovetail.CodeCanceled, Message: "the client stopped reading", Err: err}
}
