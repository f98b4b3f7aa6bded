package access_test

import (
	"crypto/rand"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/identity/access"
)

// BenchmarkUse is what every request with a token of the file costs.
func BenchmarkUse(b *testing.B) {
	token, digest, err := access.NewToken(rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	tokens, err := access.NewTokens([]access.Token{{Name: "ci", Digest: digest}})
	if err != nil {
		b.Fatal(err)
	}
	a := access.NewAuthenticator(access.Authenticators{Tokens: func() *access.Tokens { return tokens }})
	sessions := access.NewSessions(a)
	header := "Bearer " + token
	b.ReportAllocs()
	for b.Loop() {
		who, err := a.Authenticate(b.Context(), header, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := sessions.Use(who, "192.0.2.1:4711"); err != nil {
			b.Fatal(err)
		}
	}
}
