package app

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/identity/access"
	"github.com/dovetail-store/dovetail/src/internal/identity/login/logintest"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt"
)

// openWatch opens a watch with a token and returns what comes after its first event, when it ends.
func (r *running) openWatch(t *testing.T, token string) (ended <-chan string) {
	t.Helper()
	ended, err := r.tryWatch(t, http.DefaultClient, token)
	if err != nil {
		t.Fatal(err)
	}
	return ended
}

// tryWatch is openWatch of a client, with a token or "" if there is none, that may fail.
func (r *running) tryWatch(t *testing.T, c *http.Client, token string) (ended <-chan string, err error) {
	t.Helper()
	request := r.request(t, "GET", "/v2/watch", "")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewReader(response.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != "event: ready\n" {
		return nil, fmt.Errorf("the watch begins with %d %q, %v", response.StatusCode, line, err)
	}
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(lines)
		rest <- string(text)
	}()
	return rest, nil
}

// whileItHolds calls open with the time at which an identity expires, soon and in whole seconds, until it succeeds.
// Where the machine is so slow that the identity expires before, the next one gets twice the time.
func whileItHolds(t *testing.T, open func(until time.Time) error) {
	t.Helper()
	for life := 2 * time.Second; ; life *= 2 {
		until := time.Now().Add(life).Truncate(time.Second)
		err := open(until)
		if err == nil {
			return
		}
		if time.Now().Before(until) || life > time.Minute {
			t.Fatal(err)
		}
	}
}

// endsUnauthenticated waits until a watch ends and checks that it says why.
func endsUnauthenticated(t *testing.T, ended <-chan string, says string) {
	t.Helper()
	select {
	case text := <-ended:
		if !strings.Contains(text, "event: error") || !strings.Contains(text, `"code":"unauthenticated"`) || !strings.Contains(text, says) {
			t.Errorf("the watch ended with %q, want the problem unauthenticated: %s", text, says)
		}
	case <-time.After(apptest.Patience):
		t.Fatal("the watch goes on")
	}
}

// replaceFile puts a text in the place of a file at once.
func replaceFile(t *testing.T, path, text string) {
	t.Helper()
	writeFile(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// without is an access policy file without the token of a name.
func without(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "- {name: "+name+",") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

func TestRevokedTokenEndsWatches(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, accessRoles, "root", "reader")
	server := start(t, map[string]string{"access": file})
	revoked, kept := server.openWatch(t, tokens["reader"]), server.openWatch(t, tokens["root"])
	c, err := client.New(server.URL(), client.Options{Token: tokens["reader"]})
	if err != nil {
		t.Fatal(err)
	}
	watching := make(chan error, 1)
	go func() {
		for _, err := range c.Watch(t.Context(), "", store.WatchQuery{}) {
			if err != nil {
				watching <- err
			}
		}
	}()
	eventually(t, "three streams are open", func() bool { return strings.Count(server.sessionsOf(t, tokens["root"]), `"streams":2`) == 1 })
	replaceFile(t, file, without(t, file, "reader"))
	endsUnauthenticated(t, revoked, "the token is not known")
	if err := <-watching; dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("the client says %v", err)
	}
	if status, _, text := server.as(t, tokens["reader"], "GET", "/v2/clusters", ""); status != http.StatusUnauthorized {
		t.Errorf("the token: %d %s", status, text)
	}
	select {
	case text := <-kept:
		t.Errorf("the watch of another token ended with %q", text)
	default:
	}
}

func (r *running) sessionsOf(t *testing.T, token string) string {
	t.Helper()
	_, _, text := r.as(t, token, "GET", "/v2/sessions", "")
	return text
}

func TestExpiredTokenEndsWatches(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, accessRoles, "root", "reader")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	server := start(t, map[string]string{"access": file})
	ended := server.openWatch(t, tokens["reader"])
	soon := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339)
	replaceFile(t, file, strings.Replace(string(text), "{name: reader,", "{name: reader, expires: '"+soon+"',", 1))
	endsUnauthenticated(t, ended, "the token expired")
}

// Who gets other groups connects again, and has the rights of these.
func TestChangedGroupsEndWatches(t *testing.T) {
	file, tokens := accessFile(t, accessRoles+"\n- {role: viewer, groups: [readers]}", "root", "ann")
	server := start(t, map[string]string{"access": file})
	ended := server.openWatch(t, tokens["ann"])
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	replaceFile(t, file, strings.Replace(string(text), "{name: ann,", "{name: ann, groups: [readers],", 1))
	if text := <-ended; strings.Contains(text, "event: error") {
		t.Errorf("the watch ended with %q", text)
	}
	if status, _, text := server.as(t, tokens["ann"], "GET", "/v2/clusters", ""); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}

func TestExpiredJWTEndsWatches(t *testing.T) {
	t.Parallel()
	file, _ := accessFile(t, accessRoles, "root")
	issuer := logintest.NewIssuer(t)
	server := start(t, map[string]string{"access": file, "oidc-issuer": issuer.URL})
	var ended <-chan string
	whileItHolds(t, func(until time.Time) (err error) {
		ended, err = server.tryWatch(t, http.DefaultClient, issuer.Token(t, "alice", until))
		return err
	})
	endsUnauthenticated(t, ended, "the token expired")
}

// A user of the provider is not the principal of a token of the same name, even if users of the provider can choose
// their names.
func TestProviderDoesNotNamePrincipalsOfTheFile(t *testing.T) {
	file, _ := accessFile(t, accessRoles+"\n- {role: viewer, groups: ['oidc:team'], on: [cluster/c1]}", "root")
	issuer := logintest.NewIssuer(t)
	server := start(t, map[string]string{"access": file, "oidc-issuer": issuer.URL})
	token := issuer.Token(t, "root", time.Now().Add(time.Hour))
	if status, _, text := server.as(t, token, "POST", "/v2/clusters", named("c1")); status != http.StatusForbidden || !strings.Contains(text, "oidc:root may not create") {
		t.Errorf("%d %s", status, text)
	}
	if _, _, text := server.as(t, token, "GET", "/v2/access?right=read&id=cluster/c1", ""); !strings.Contains(text, `"principal":"oidc:root","groups":["oidc:team"],"authenticated":"oidc"`) || !strings.Contains(text, `"allowed":true`) {
		t.Error(text)
	}
}

func TestSessions(t *testing.T) {
	file, tokens := accessFile(t, accessRoles+"\n- {role: viewer, users: [watcher]}", "root", "reader", "ann")
	location := "bolt:" + filepath.Join(t.TempDir(), "dovetail.db")
	server := start(t, map[string]string{"access": file, "store": location})
	ended := server.openWatch(t, tokens["ann"])
	sessions := func(who string) map[string]dovetail.Session {
		t.Helper()
		c, err := client.New(server.URL(), client.Options{Token: tokens[who]})
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.Sessions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all := make(map[string]dovetail.Session)
		for _, one := range list {
			all[one.Principal] = one
		}
		return all
	}
	own := sessions("ann")
	if ann := own["ann"]; len(own) != 1 || !ann.Current || ann.Streams != 1 || ann.Authenticated != "token" || !strings.HasPrefix(ann.Address, "127.0.0.1:") || ann.Since.IsZero() || ann.LastUsed.Before(ann.Since) {
		t.Errorf("ann sees %+v", own)
	}
	all := sessions("reader")
	if len(all) != 2 || all["ann"].Current || !all["reader"].Current {
		t.Errorf("reader sees %+v", all)
	}
	sessions("root")
	steps := []struct {
		name, who, session string
		status             int
	}{
		{name: "of another", who: "ann", session: all["reader"].ID, status: 404},
		{name: "of none", who: "ann", session: strings.Repeat("0", 20), status: 404},
		{name: "by who only reads", who: "reader", session: all["ann"].ID, status: 403},
		{name: "that is no id", who: "root", session: "x", status: 400},
		{name: "of another by who may delete everything", who: "root", session: all["ann"].ID, status: 204},
		{name: "a second time", who: "root", session: all["ann"].ID, status: 204},
		{name: "one's own", who: "reader", session: all["reader"].ID, status: 204},
	}
	for _, step := range steps {
		if status, _, text := server.as(t, tokens[step.who], "DELETE", "/v2/sessions/"+step.session, ""); status != step.status {
			t.Errorf("end a session %s: %d %s, want %d", step.name, status, text, step.status)
		}
	}
	endsUnauthenticated(t, ended, "the session was ended")
	for _, who := range []string{"ann", "reader"} {
		if status, _, text := server.as(t, tokens[who], "GET", "/v2/clusters", ""); status != http.StatusUnauthorized || !strings.Contains(text, "the session was ended") {
			t.Errorf("%s: %d %s", who, status, text)
		}
	}
	if left := sessions("root"); len(left) != 1 {
		t.Errorf("there remain %+v", left)
	}
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	server = start(t, map[string]string{"access": file, "store": location})
	if status, _, text := server.as(t, tokens["ann"], "GET", "/v2/clusters", ""); status != http.StatusUnauthorized {
		t.Errorf("after a restart: %d %s", status, text)
	}
	server.fsck(t)
}

// shared is a database that several processes have open, as those of MongoDB.
type shared struct{ store.Backend }

func (s shared) Capabilities() store.Capabilities {
	c := s.Backend.Capabilities()
	c.Exclusive = false
	return c
}

// A session that one process ends is refused by the others, and its streams there are cut.
func TestEndedSessionsReachOtherProcesses(t *testing.T) {
	backend, err := bolt.Open(filepath.Join(t.TempDir(), "dovetail.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = backend.Close() }()
	token, digest, err := access.NewToken(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := access.NewTokens([]access.Token{{Name: "ci", Digest: digest}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	process := func() (*access.Sessions, *endedSessions, *access.Identity) {
		a := access.NewAuthenticator(access.Authenticators{Tokens: func() *access.Tokens { return tokens }})
		who, err := a.Authenticate(ctx, "Bearer "+token, nil)
		if err != nil {
			t.Fatal(err)
		}
		sessions := access.NewSessions(a)
		return sessions, newEndedSessions(shared{backend}, sessions, slog.New(slog.DiscardHandler)), who
	}
	_, here, who := process()
	there, other, _ := process()
	done := make(chan struct{})
	go func() {
		defer close(done)
		other.run(ctx)
	}()
	request, err := there.Use(who, "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	streaming, leave := request.Stream(ctx)
	defer leave()
	if err := here.end(ctx, who.Digest.Session(), ending{By: "root", Everywhere: true}); err != nil {
		t.Fatal(err)
	}
	<-streaming.Done()
	if err := context.Cause(streaming); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("the stream ended with %v", err)
	}
	if _, err := there.Use(who, "127.0.0.1:1"); dovetail.CodeOf(err) != dovetail.CodeUnauthenticated {
		t.Errorf("the token: %v", err)
	}
	cancel()
	<-done
}

// One principal cannot fill the list of ended sessions.
func TestEndedSessionsAreBounded(t *testing.T) {
	tests := []struct {
		name    string
		kept    int
		by      string
		next    ending
		refused bool
	}{
		{name: "room", kept: 10, by: "ann", next: ending{By: "ann"}},
		{name: "too many of its own", kept: maxEndedOwn, by: "ann", next: ending{By: "ann"}, refused: true},
		{name: "many of another", kept: maxEndedOwn, by: "ann", next: ending{By: "bob"}},
		{name: "many by who may end all", kept: maxEndedOwn, by: "root", next: ending{By: "root", Everywhere: true}},
		{name: "too many", kept: maxEnded, by: "root", next: ending{By: "root", Everywhere: true}, refused: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			endings := make(map[string]ending)
			for n := range tt.kept {
				endings[fmt.Sprint(n)] = ending{By: tt.by}
			}
			if err := room(endings, tt.next); (err != nil) != tt.refused {
				t.Errorf("got %v, want a refusal: %v", err, tt.refused)
			}
		})
	}
}

// A list that is being sent is cut off when its token is revoked, so that the part is not taken for the whole.
func TestRevokedTokenCutsLists(t *testing.T) {
	t.Parallel()
	file, tokens := accessFile(t, accessRoles, "root", "reader")
	server := start(t, map[string]string{"access": file, "log-level": "error"})
	const batches, size = 15, 100
	filler := strings.Repeat("x", 20_000)
	for n := range batches {
		var b strings.Builder
		for m := range size {
			fmt.Fprintf(&b, `%c{"kind":"cluster","metadata":{"name":"c%d-%d","description":%q}}`, ",["[min(1, max(0, 1-m))], n, m, filler)
		}
		if status, _, text := server.as(t, tokens["root"], "POST", "/v2/batch", b.String()+"]"); status != 200 {
			t.Fatalf("%d %.300s", status, text)
		}
	}
	request := server.request(t, "GET", "/v2/clusters", "")
	request.Header.Set("Authorization", "Bearer "+tokens["reader"])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.ReadFull(response.Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	replaceFile(t, file, without(t, file, "reader"))
	eventually(t, "the token is refused", func() bool {
		status, _, _ := server.as(t, tokens["reader"], "GET", "/v2/access", "")
		return status == http.StatusUnauthorized
	})
	read, err := io.Copy(io.Discard, response.Body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || read >= batches*size*int64(len(filler)) {
		t.Errorf("after revocation %d bytes came, %v: want a part that is cut off", read, err)
	}
}
