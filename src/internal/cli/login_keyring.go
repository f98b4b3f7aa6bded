package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/login"
)

// keyringFile is the file of logins, beside that of contexts; "" if there is none.
func (s *session) keyringFile() string {
	name, _ := s.contextsFile()
	if name == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(name), "keyring.json")
}

// readKeyring reads the logins. It needs no lock, as the file is replaced as a whole.
func (s *session) readKeyring() (*login.Keyring, error) {
	name := s.keyringFile()
	if name == "" {
		return &login.Keyring{}, nil
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &login.Keyring{}, nil
	case err != nil:
		e := dovetail.AsError(unreadable(name, err))
		e.Remedy = "make it readable, or remove it and log in again with `dovetail login`"
		return nil, e
	}
	return login.ParseKeyring(name, text)
}

// editKeyring changes the logins, and writes them where edit says so. Commands wait for each other, so that a refresh token, which
// is of use once, is used by one of them. Where there is no folder for the file, the error has CodeInvalid.
func (s *session) editKeyring(ctx context.Context, edit func(*login.Keyring) (changed bool, err error)) error {
	name := s.keyringFile()
	if name == "" {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "there is no folder to keep logins in", Remedy: "name a file of contexts with " + contextsVariable + ", beside which they are kept"}
	}
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		name = linked // so that the link stays
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return unwritable(err)
	}
	unlock, err := lockFile(ctx, name+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	k, err := s.readKeyring()
	if err != nil {
		return err
	}
	changed, failed := edit(k)
	if !changed {
		return failed
	}
	if err := replaceFile(name, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(k.Text()))
		return err
	}); err != nil {
		return err
	}
	return failed
}

// lockFile waits until no other command has the lock, which ends with its process.
func lockFile(ctx context.Context, name string) (unlock func(), err error) {
	type lock struct {
		unlock func()
		err    error
	}
	got := make(chan lock)
	go func() {
		unlock, err := lockedfile.MutexAt(name).Lock()
		select {
		case got <- lock{unlock, err}:
		case <-ctx.Done():
			if err == nil {
				unlock()
			}
		}
	}()
	select {
	case l := <-got:
		if l.err != nil {
			return nil, unwritable(l.err)
		}
		return l.unlock, nil
	case <-ctx.Done():
		return nil, dovetail.AsError(ctx.Err())
	}
}

// serverKey is the URL by which a server stands in the keyring.
func serverKey(url string) string {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	return strings.TrimRight(url, "/")
}

// useLogin has the login of the server or context be used, if there is no token.
func (s *session) useLogin(to *endpoint) error {
	c := to.context
	hasToken := to.Token != "" && (to.tokenOrigin != TokenVariable || s.context == "" || c.Issuer == "")
	if hasToken || c.Name != "" && c.Issuer == "" {
		return nil
	}
	k, err := s.readKeyring()
	if err != nil {
		return err
	}
	l, found := k.Find(c.Name, serverKey(to.URL))
	if !found || c.Name != "" && (l.Issuer != c.Issuer || l.ClientID != clientOf(c.ClientID)) {
		return nil
	}
	to.login = &loginSource{session: s, login: l, authority: to.Authority}
	to.Token, to.tokenOrigin, to.TokenSource = "", originLogin, to.login.token
	return nil
}

// loginSource gives the token of a login, and refreshes it before it ends. It is safe for concurrent use.
type loginSource struct {
	session   *session
	authority []byte

	mu    sync.Mutex
	login login.Login
}

func (l *loginSource) token(ctx context.Context) (string, error) {
	fresh, err := l.fresh(ctx)
	return fresh.ID, err
}

// fresh returns the login with a token that holds for a while.
func (l *loginSource) fresh(ctx context.Context) (login.Login, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.login.IsFresh(l.session.Now()) || l.session.completing { // for which no shell should wait
		return l.login, nil
	}
	err := l.session.editKeyring(ctx, func(k *login.Keyring) (changed bool, err error) {
		kept, found := k.Find(l.login.Context, l.login.Server)
		if !found {
			return false, &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the login was ended by `dovetail logout`", Remedy: "run `dovetail login`"}
		}
		if !kept.IsFresh(l.session.Now()) { // nor did another command refresh it
			changed, err = l.session.refresh(ctx, &kept, l.authority)
			k.Put(kept)
		}
		l.login = kept
		return changed, err
	})
	return l.login, err
}

// refresh replaces the token of a login. One that the provider refuses is not tried again. Once begun it is not canceled: the
// provider may have given the next refresh token already.
func (s *session) refresh(ctx context.Context, l *login.Login, authority []byte) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*login.Timeout)
	defer cancel()
	var next login.Token
	provider, err := s.provider(ctx, *l, authority)
	if err == nil {
		next, err = provider.Refresh(ctx, l.Token)
	}
	switch {
	case err == nil:
		l.Token = next
		return true, nil
	case dovetail.CodeOf(err) == dovetail.CodeUnauthenticated && l.Refresh != "":
		l.Refresh = ""
		return true, err
	case dovetail.CodeOf(err) != dovetail.CodeUnauthenticated && l.Expires.After(s.Now()):
		return false, nil // it holds for a moment still
	}
	return false, err
}

// provider asks the provider of a login where it answers.
func (s *session) provider(ctx context.Context, l login.Login, authority []byte) (*login.Provider, error) {
	return login.Find(ctx, login.Options{Issuer: l.Issuer, ClientID: l.ClientID, Scope: l.Scope, Authority: authority, Now: s.Now, Random: s.random()})
}

// forgetLogins removes logins from the keyring, and returns them. It has their providers forget them, and warns where one does not.
func (s *session) forgetLogins(ctx context.Context, unwanted func(login.Login) bool) ([]login.Login, error) {
	removed, err := s.removeLogins(ctx, unwanted)
	if err != nil {
		return nil, err
	}
	for _, l := range removed {
		if err := s.revoke(ctx, l); err != nil {
			s.warn([]*dovetail.Error{{Message: "the login at " + l.Issuer + " is forgotten here, but may be valid there until it expires: " + dovetail.AsError(err).Message}})
		}
	}
	return removed, nil
}

// removeLogins removes logins from the keyring, and returns them.
func (s *session) removeLogins(ctx context.Context, unwanted func(login.Login) bool) (removed []login.Login, err error) {
	if k, err := s.readKeyring(); err != nil || len(k.Remove(unwanted)) == 0 {
		return nil, err
	}
	err = s.editKeyring(ctx, func(k *login.Keyring) (bool, error) {
		removed = k.Remove(unwanted)
		return len(removed) > 0, nil
	})
	return removed, err
}

func (s *session) revoke(ctx context.Context, l login.Login) error {
	if l.Refresh == "" {
		return nil
	}
	var authority []byte
	if file, err := s.readContexts(); err == nil && l.Context != "" {
		if c, err := file.Find(l.Context); err == nil {
			if authority, err = (chosen{c, filepath.Dir(file.Name)}).authority(); err != nil {
				return err
			}
		}
	}
	provider, err := s.provider(ctx, l, authority)
	if err != nil {
		return err
	}
	revoked, err := provider.Revoke(ctx, l.Token)
	if err == nil && !revoked {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "it has no way to revoke tokens"}
	}
	return err
}
