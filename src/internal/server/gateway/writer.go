package gateway

import (
	"io"
	"net/http"
	"time"
)

// answer is a response writer that gives each write its time, so that a stream may last and a reader that takes
// nothing is cut off.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	patient time.Duration // for one write
	status  int           // 0 before it begins
}

func newAnswer(w http.ResponseWriter, patient time.Duration) *answer {
	return &answer{ResponseWriter: w, control: http.NewResponseController(w), patient: patient}
}

// WriteHeader sends the status.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
		a.extend()
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	a.extend()
	return a.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (a *answer) Flush() {
	a.extend()
	_ = a.control.Flush()                       // a writer that cannot has no reader that waits
	_ = a.control.SetWriteDeadline(time.Time{}) // over HTTP/2 it would end the answer although nothing is written
}

// Unwrap lets http.ResponseController through.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) extend() {
	_ = a.control.SetWriteDeadline(time.Now().Add(a.patient)) // a writer without deadlines has none to set
}

// received is a body that lifts the time limit of reading when it has come, since the server reads on to see whether
// its client goes away.
type received struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read reads a part. An error other than the end is a brokenBody.
func (b *received) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		liftRead(b.control)
	case err != nil:
		err = &brokenBody{err}
	}
	return n, err
}

// brokenBody is what is wrong with the body that a client sends: no server got all of it.
type brokenBody struct{ error }

// Unwrap returns the cause.
func (b *brokenBody) Unwrap() error { return b.error }

func liftRead(control *http.ResponseController) {
	_ = control.SetReadDeadline(time.Time{}) // a connection without deadlines has none to lift
}
