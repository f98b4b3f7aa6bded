package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// WriteBackup writes a backup of everything that the server stores to a writer. The output is only complete if the error is nil. A
// failure of the server during the transfer may be detected only when the backup is read, by its digest.
func (c *Client) WriteBackup(ctx context.Context, to io.Writer, o store.BackupOptions) error {
	query := c.scope.into(nil)
	if o.At != "" {
		query.Set(atParameter, o.At)
	}
	if o.Cleartext {
		query.Set("cleartext", "true")
	}
	return c.download(ctx, to, query, "application/gzip")
}

// WriteCheckpoint writes a copy of the file of an embedded store, as of one position, which a server can use as its database. The
// output is only complete if the error is nil. The code is CodeConflict if the server uses another kind of database.
func (c *Client) WriteCheckpoint(ctx context.Context, to io.Writer) error {
	query := c.scope.into(nil)
	query.Set("checkpoint", "true")
	return c.download(ctx, to, query, "application/octet-stream")
}

// download writes a backup.
func (c *Client) download(ctx context.Context, to io.Writer, query url.Values, accept string) error {
	answer, err := c.do(ctx, request{method: http.MethodGet, path: api.Backup, query: query, header: http.Header{"Accept": {accept}}})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body := &answerReader{from: answer.Body}
	if _, err := io.Copy(to, body); err != nil {
		if body.err == nil || ctx.Err() != nil {
			return dovetail.AsError(cmp.Or(ctx.Err(), err))
		}
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the server at " + c.server + " ended the backup before its end: " + reason(err),
			Remedy: "try again; the server's log says why", Err: err}
	}
	return nil
}

// answerReader remembers whether reading failed, rather than writing.
type answerReader struct {
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (r *answerReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}
