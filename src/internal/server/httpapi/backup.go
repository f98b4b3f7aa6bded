package httpapi

import (
	"io"
	"net/http"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/store"
)

// checkpointType is the media type of a checkpoint.
const checkpointType = "application/octet-stream"

// getBackup streams a backup of the store. One that ends early has no last line, by which its readers notice.
func getBackup(x *requestContext) error {
	p, err := x.parameters(atParameter, "cleartext", "checkpoint")
	if err != nil {
		return err
	}
	cleartext, err := p.flag("cleartext")
	if err != nil {
		return err
	}
	checkpoint, err := p.flag("checkpoint")
	if err != nil {
		return err
	}
	if checkpoint {
		if cleartext {
			return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a checkpoint holds everything as it is stored", Remedy: "leave out cleartext, or checkpoint"}
		}
		return x.streamCheckpoint()
	}
	b, err := x.store.Backup(x.ctx, store.BackupOptions{Cleartext: cleartext})
	if err != nil {
		return err
	}
	defer x.stream()()
	h := x.w.Header()
	h.Set("Content-Type", backup.MediaType)
	h.Set(positionHeader, string(b.Position))
	x.w.WriteHeader(http.StatusOK)
	_, err = backup.Write(x.ctx, sending{x}, b, backup.Options{Now: x.api.options.Now()})
	return err
}

// streamCheckpoint streams a checkpoint of the store. One that ends early has another length than announced, and no end.
func (x *requestContext) streamCheckpoint() error {
	done := func() {}
	defer func() { done() }()
	return x.store.Checkpoint(x.ctx, func(c store.Checkpoint) (io.Writer, error) {
		done = x.stream()
		h := x.w.Header()
		h.Set("Content-Type", checkpointType)
		h.Set("Content-Length", strconv.FormatInt(c.Size, 10))
		h.Set(positionHeader, string(c.Position))
		x.w.WriteHeader(http.StatusOK)
		return sending{x}, x.resume()
	})
}

// sending is a writer of the parts of a stream.
type sending struct{ x *requestContext }

// Write implements io.Writer. The work on the next part waits for a seat.
func (s sending) Write(part []byte) (int, error) {
	if err := s.x.send(part); err != nil {
		return 0, err
	}
	return len(part), s.x.resume()
}
