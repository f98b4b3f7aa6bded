package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/internal/backup"
	"github.com/dovetail-store/dovetail/src/store"
)

// getBackup streams a backup of the store. One that ends early has no last line, by which its readers notice.
func getBackup(x *requestContext) error {
	p, err := x.parameters(atParameter, "cleartext")
	if err != nil {
		return err
	}
	cleartext, err := p.flag("cleartext")
	if err != nil {
		return err
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

// sending is a writer of the parts of a stream.
type sending struct{ x *requestContext }

// Write implements io.Writer.
func (s sending) Write(part []byte) (int, error) {
	if err := s.x.send(part); err != nil {
		return 0, err
	}
	return len(part), nil
}
