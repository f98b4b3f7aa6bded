package client_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestWriteBackup asks for a position, and reports a stream that breaks off.
func TestWriteBackup(t *testing.T) {
	tests := []struct {
		name    string
		options store.BackupOptions
		copied  bool // a checkpoint
		handle  http.HandlerFunc
		query   string
		want    string
		code    dovetail.Code
	}{
		{name: "of now", handle: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("whole")) }, want: "whole"},
		{name: "of a position, in clear", options: store.BackupOptions{At: "p7", Cleartext: true}, handle: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("whole")) },
			query: "at=p7&cleartext=true", want: "whole"},
		{name: "a checkpoint", copied: true, handle: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("whole")) }, query: "checkpoint=true", want: "whole"},
		{name: "a checkpoint that is shorter than announced", copied: true, handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("ha"))
		}, query: "checkpoint=true", want: "ha", code: dovetail.CodeUnavailable},
		{name: "broken off", handle: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("ha"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, want: "ha", code: dovetail.CodeUnavailable},
		{name: "forbidden", handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"code":"forbidden","detail":"no"}`))
		}, code: dovetail.CodeForbidden},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var query string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				query = r.URL.RawQuery
				test.handle(w, r)
			}))
			defer server.Close()
			c, err := client.New(server.URL, client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if test.copied {
				err = c.WriteCheckpoint(t.Context(), &out)
			} else {
				err = c.WriteBackup(t.Context(), &out, test.options)
			}
			if dovetail.CodeOf(err) != test.code || out.String() != test.want || query != test.query {
				t.Errorf("%q, query %q, %v", out.String(), query, err)
			}
		})
	}
}
