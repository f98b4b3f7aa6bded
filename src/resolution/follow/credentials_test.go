package follow_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/follow"
)

func TestCredentialsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, says string }{
		{"misspelt", "hosts: [{host: a, usr: b, password: c}]", "did you mean user?"},
		{"neither", "hosts: [{host: a}]", "needs either a token or a user"},
		{"both", "hosts: [{host: a, user: b, token: c}]", "needs either a token or a user"},
		{"twice", "hosts: [{host: a, token: b}, {host: a, token: c}]", "duplicate"},
		{"nothing", "{}", "hosts is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := follow.ParseCredentials("c.yaml", []byte(tt.text))
			text := ""
			if e := dovetail.AsError(err); e != nil {
				text = e.Error() + " " + e.Remedy
				for _, part := range e.Errors {
					text += " " + part.Error() + " " + part.Remedy
				}
			}
			if !strings.Contains(text, tt.says) {
				t.Errorf("%q, want %s", text, tt.says)
			}
		})
	}
}
