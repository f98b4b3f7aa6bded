package app

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
)

// minGitSecret is how many characters a secret of Git hosts has at least. minPullPause is how long a repository is left alone after a pull that was asked for.
const (
	minGitSecret = 16
	minPullPause = time.Second
)

// gitWebhook lets Git hosts ask for a pull after a push, in any process. It reads its secret for each request, so that another one counts at once.
type gitWebhook struct {
	file     string
	attached *attached
	log      *slog.Logger
}

// gitWebhook is nil where the configuration names no secret.
func (s *Server) gitWebhook(background context.Context, a *attached) (*gitWebhook, error) {
	w := &gitWebhook{s.config.RepositoryWebhook, a, s.log}
	switch {
	case w.file == "":
		return nil, nil
	case a == nil:
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "--instance-repo-webhook-secret-file is given, and no instance repository", Remedy: "name one with --instance-repo or --instance-repos"}
	}
	if _, err := w.secrets(); err != nil {
		return nil, err
	}
	for _, r := range a.all {
		s.background.Go(func() { a.pullSoon(system(background, repositoryWork), r, s.log) })
	}
	return w, nil
}

// secrets are the lines of the file.
func (w *gitWebhook) secrets() ([][]byte, error) {
	invalid := func(why string, err error) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: w.file}, Message: "the secret of Git hosts " + why, Err: err,
			Remedy: fmt.Sprintf("write one of at least %d characters, or several, a line each", minGitSecret)}
	}
	text, err := os.ReadFile(w.file)
	if err != nil {
		return nil, invalid("cannot be read: "+plainCause(err), err)
	}
	var all [][]byte
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if len(line) < minGitSecret {
			return nil, invalid("is too short", nil)
		}
		all = append(all, line)
	}
	if all == nil {
		return nil, invalid("is missing", nil)
	}
	return all, nil
}

// The headers by which Git hosts show that they know the secret: signatures of the body as HMAC with SHA-256, in hexadecimal, some after "sha256=", and
// the secret itself as GitLab sends it.
var signatureHeaders = []string{"X-Hub-Signature-256", "X-Hub-Signature", "X-Gitea-Signature", "X-Forgejo-Signature", "X-Gogs-Signature"}

const tokenHeader = "X-Gitlab-Token"

// Check is that of httpapi.GitWebhook.
func (w *gitWebhook) Check(header http.Header, body io.Reader) error {
	secrets, err := w.secrets()
	if err != nil {
		w.log.Error("a Git host cannot ask for a pull", "error", err)
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the secret of Git hosts cannot be read", Remedy: "see the log of the server"}
	}
	if token := header.Get(tokenHeader); token != "" {
		if slices.ContainsFunc(secrets, func(secret []byte) bool { return subtle.ConstantTimeCompare(secret, []byte(token)) == 1 }) {
			return nil
		}
		return unknownHost("the token in " + tokenHeader + " is another one")
	}
	var signatures [][]byte
	for _, name := range signatureHeaders {
		if signature, err := hex.DecodeString(strings.TrimPrefix(header.Get(name), "sha256=")); err == nil && len(signature) == sha256.Size {
			signatures = append(signatures, signature)
		}
	}
	if signatures == nil {
		return unknownHost("the request has no signature and no token")
	}
	var macs []hash.Hash
	var into []io.Writer
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, secret)
		macs, into = append(macs, mac), append(into, mac)
	}
	if _, err := io.Copy(io.MultiWriter(into...), body); err != nil {
		return err
	}
	for _, mac := range macs {
		want := mac.Sum(nil)
		if slices.ContainsFunc(signatures, func(signature []byte) bool { return hmac.Equal(signature, want) }) {
			return nil
		}
	}
	return unknownHost("the signature is not that of the body with the secret")
}

func unknownHost(message string) error {
	return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: message,
		Remedy: "give the Git host the secret of --instance-repo-webhook-secret-file: GitHub, Gitea and Forgejo sign with it, GitLab sends it as its token"}
}

// Pull is that of httpapi.GitWebhook. Calls that come before a pull has begun are one.
func (w *gitWebhook) Pull(repository string) error {
	if names := w.attached.Names(); repository != "" && !slices.Contains(names, repository) {
		remedy := "use one of " + strings.Join(names, ", ")
		if near := suggest.Nearest(repository, names); near != "" {
			remedy = "did you mean " + near + "?"
		}
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no instance repository " + repository + " is attached", Remedy: remedy}
	}
	for _, r := range w.attached.all {
		if repository == "" || repository == r.source.Name {
			select {
			case r.soon <- struct{}{}:
			default: // asked for already
			}
		}
	}
	return nil
}

// pullSoon pulls a repository when that is asked for, until the context ends. One that is not attached yet is tried by attachLater.
func (a *attached) pullSoon(ctx context.Context, r *instanceRepository, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.soon:
		}
		if syncer, err := a.Named(r.source.Name); err == nil {
			if err := syncer.Sync(ctx); err != nil && ctx.Err() == nil {
				log.Warn("the store does not follow the instance repository", "repository", r.source.Name, "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(minPullPause):
		}
	}
}
