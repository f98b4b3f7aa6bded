package gitrepo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
)

// TestSilentRemote reads while a remote takes connections and says nothing: only those who ask it wait.
func TestSilentRemote(t *testing.T) {
	r := newRemote(t, map[string]string{"a": "1"})
	target, err := url.Parse(r.Serve())
	if err != nil {
		t.Fatal(err)
	}
	silent, asked := make(chan bool, 1), make(chan bool, 100)
	silent <- false
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		is := <-silent
		silent <- is
		if is {
			asked <- true
			<-request.Context().Done()
			return
		}
		proxy.ServeHTTP(w, request)
	}))
	t.Cleanup(server.Close)
	repository := openRepository(t, server.URL+target.Path, t.TempDir())
	head := repository.Head()
	tests := []struct {
		name string
		ask  func(ctx context.Context) error
	}{
		{"pull", func(ctx context.Context) error { _, err := repository.Pull(ctx); return err }},
		{"change", func(ctx context.Context) error {
			_, err := repository.Change(ctx, put(map[string]string{"a": "2"}))
			return err
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			<-silent
			silent <- true
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asking := make(chan error, 1)
			go func() { asking <- test.ask(ctx) }()
			<-asked
			reading := make(chan error, 1)
			go func() { reading <- readAll(ctx, repository, head) }()
			select {
			case err := <-reading:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(5 * time.Minute):
				t.Fatal("reading waits for the remote")
			}
			cancel()
			wantCode(t, <-asking, dovetail.CodeCanceled)
			<-silent
			silent <- false
			if _, err := repository.Pull(t.Context()); err != nil || repository.Head() != head {
				t.Errorf("head %s: %v", repository.Head(), err)
			}
		})
	}
}

// readAll does what needs no remote.
func readAll(ctx context.Context, repository *gitrepo.Repository, head string) error {
	if _, _, err := repository.Read(ctx, "a"); err != nil {
		return err
	}
	if _, err := repository.Version(ctx, repository.Head(), "a"); err != nil {
		return err
	}
	if _, err := repository.Changed(ctx, head, ""); err != nil {
		return err
	}
	if _, err := repository.Time(head); err != nil {
		return err
	}
	for _, err := range repository.Files(ctx, gitrepo.Part{}) {
		if err != nil {
			return err
		}
	}
	_, err := repository.Contains(head)
	return err
}
