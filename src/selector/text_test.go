package selector_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/selector"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestText(t *testing.T) {
	const data = `{"metadata":{"name":"a"},"spec":{"DBAAS_URL":"https://Db.Example.com","port":5432,"on":true,"empty":null,"list":["x",{"deep":"ß"}],
		"secret":{"password":"hunter2","user":"admin"},"secrets":"open"}}`
	tests := []struct {
		name, text string
		except     []string
		want       bool
	}{
		{"nothing is everywhere", "", nil, true},
		{"a part of a text", "example", nil, true},
		{"in another case", "DB.EXAMPLE", nil, true},
		{"a name of a member", "dbaas_", nil, true},
		{"a part of a number", "543", nil, true},
		{"a boolean", "true", nil, true},
		{"in a list", "deep", nil, true},
		{"beyond ASCII", "ß", nil, true},
		{"null is no text", "null", nil, false},
		{"not there", "other", nil, false},
		{"white space counts", " a", nil, false},
		{"a secret that is not said to be one", "hunter2", nil, true},
		{"a secret", "hunter2", []string{"/spec/secret"}, false},
		{"a name in a secret", "password", []string{"/spec/secret"}, false},
		{"the name of what is secret", "secret", []string{"/spec/secret"}, true},
		{"beside a secret", "admin", []string{"/spec/secret/password"}, true},
		{"a member whose name begins as that of a secret", "open", []string{"/spec/secret"}, true},
		{"what is in a list that a secret leads to", "deep", []string{"/spec/list"}, false},
		{"everything is secret", "a", []string{""}, false},
	}
	parsed, err := value.ParseJSON([]byte(data), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := selector.ParseText(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Matches(parsed, test.except); got != test.want {
				t.Errorf("%q: got %v", test.text, got)
			}
			if s.String() != test.text {
				t.Errorf("it is written as %q", s)
			}
		})
	}
}

func TestTextRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"long", strings.Repeat("a", 201), "longer than 200 bytes"},
		{"no UTF-8", "a\xff", "the byte 0xFF is not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := selector.ParseText(test.text)
			if e := dovetail.AsError(err); err == nil || e.Code != dovetail.CodeInvalid || !strings.Contains(e.Message, test.want) || e.Remedy == "" {
				t.Errorf("got %v", err)
			}
		})
	}
}
