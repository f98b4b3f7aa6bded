package login

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestKeyring(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	prod := Login{Context: "prod", Server: "https://a", Issuer: "https://i", ClientID: "dovetail", Token: Token{ID: "i1", Refresh: "r1", Subject: "alice", Expires: at}}
	test, bare := prod, prod
	test.Context, bare.Context = "test", ""
	k := &Keyring{}
	for _, l := range []Login{prod, test, bare, prod} {
		k.Put(l)
	}
	moved := prod
	moved.Server = "https://b"
	k.Put(moved)
	next := test
	next.ID, next.Refresh = "i2", "r2"
	k.Put(next)
	again, err := ParseKeyring("keyring.json", k.Text())
	if err != nil || len(again.Logins) != 4 || !bytes.Equal(again.Text(), k.Text()) {
		t.Fatalf("read again as %v (%v)", again, err)
	}
	for _, find := range []struct {
		name, context, server string
		want                  Login
	}{
		{"of a context", "prod", "https://a", prod},
		{"replaced", "test", "https://a", next},
		{"without a context", "", "https://a", bare},
		{"of the context's other server", "prod", "https://b", moved},
		{"of another server", "test", "https://b", Login{}},
		{"without a context at another server", "", "https://b", Login{}},
	} {
		if got, found := again.Find(find.context, find.server); got != find.want || found != (find.want != Login{}) {
			t.Errorf("%s: %v", find.name, got)
		}
	}
	if removed := again.Remove(func(l Login) bool { return l.Context == "prod" }); len(removed) != 2 || len(again.Logins) != 2 {
		t.Errorf("removed %v", removed)
	}
}

func TestFreshness(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name  string
		ends  time.Duration
		fresh bool
	}{{"an hour", time.Hour, true}, {"more than the leeway", Leeway + 1, true}, {"the leeway", Leeway, false}, {"over", -1, false}} {
		if got := (Token{Expires: now.Add(test.ends)}).IsFresh(now); got != test.fresh {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

func TestBrokenKeyrings(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "no JSON": "logins:", "of a later version": `{"logins":[],"hunter2":1}`, "two": `{"logins":[]} {"logins":[]}`,
		"of other types": `{"logins":[{"idToken":{"hunter2":1}}]}`, "cut off": `{"logins":[{"refreshToken":"hunter2`,
	} {
		_, err := ParseKeyring("keyring.json", []byte(text))
		e := dovetail.AsError(err)
		if e == nil || e.Code != dovetail.CodeInvalid || e.Remedy == "" || strings.Contains(e.Message, "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is read is written as the same.
func FuzzKeyring(f *testing.F) {
	f.Add([]byte(`{"logins":[{"context":"a","server":"https://a","issuer":"https://i","clientId":"c","idToken":"i","refreshToken":"r","subject":"s","expires":"2026-11-21T12:00:00Z"}]}`))
	f.Add([]byte(`{"logins":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		k, err := ParseKeyring("f", text)
		if err != nil {
			return
		}
		again, err := ParseKeyring("f", k.Text())
		if err != nil || !bytes.Equal(again.Text(), k.Text()) {
			t.Errorf("%s is written as %s (%v)", text, k.Text(), err)
		}
	})
}
