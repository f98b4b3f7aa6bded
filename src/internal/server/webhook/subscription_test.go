package webhook

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func readFile(name string) ([]byte, error) {
	switch name {
	case "good":
		return []byte(secret + "\n"), nil
	case "short":
		return []byte("whsec_c2hvcnQ=\n"), nil
	case "bare":
		return []byte("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"), nil
	case "empty":
		return nil, nil
	}
	return nil, errors.New("no such file")
}

func TestParse(t *testing.T) {
	all, err := Parse("webhooks.yaml", []byte(`webhooks:
  - name: release-bot
    url: https://hooks.example.org/dovetail?x=1
    secretFile: good
    as: {user: bot, groups: [auditors]}
    events: [transaction.committed, "change-set.*"]
    kinds: [environment]
    under: [cluster/prod]
`), readFile, true)
	if err != nil {
		t.Fatal(err)
	}
	want := []Subscription{{Name: "release-bot", URL: "https://hooks.example.org/dovetail?x=1", Secrets: all[0].Secrets, As: &dovetail.Principal{Name: "bot", Groups: []string{"auditors"}},
		Events: []string{"transaction.committed", "change-set.*"}, Kinds: []string{"environment"}, Under: []dovetail.ID{"cluster/prod"}}}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
	for _, event := range Types() {
		if wants := strings.HasPrefix(event, "change-set.") || event == TransactionCommitted; all[0].wants(event) != wants {
			t.Errorf("%s: %v", event, !wants)
		}
	}
	for _, empty := range []string{"", "webhooks:", "webhooks: []"} {
		if all, err := Parse("f", []byte(empty), readFile, true); err != nil || len(all) > 0 {
			t.Errorf("%q: %v, %v", empty, all, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	hook := func(more string) string {
		return "webhooks: [{name: a, url: 'https://x', secretFile: good, as: {user: u}, events: ['*']" + more + "}]"
	}
	tests := []struct{ name, text, want string }{
		{name: "no map", text: "[]", want: "f:1:1: the file must be a map"},
		{name: "an unknown member", text: "webhook: []", want: "did you mean webhooks?"},
		{name: "two documents", text: "webhooks: []\n---\nwebhooks: []\n", want: "has one document"},
		{name: "an unknown member of a webhook", text: hook(", event: [x]"), want: `has the unknown member "event"; did you mean events?`},
		{name: "nothing", text: "webhooks: [{}]", want: "name is missing"},
		{name: "a name with spaces", text: strings.Replace(hook(""), "name: a", "name: a b", 1), want: `f:1:19: the name is "a b"; use lower case letters`},
		{name: "a duplicate", text: strings.Replace(hook(""), "[{", "[{name: a, url: 'https://y', secretFile: good, as: {user: u}, events: ['*']}, {", 1), want: `duplicate webhook "a"`},
		{name: "another scheme", text: strings.Replace(hook(""), "https:", "ftp:", 1), want: `url is "ftp://x"`},
		{name: "credentials in the URL", text: strings.Replace(hook(""), "https://", "https://a:b@", 1), want: "without credentials"},
		{name: "an unknown event", text: strings.Replace(hook(""), "'*'", "change-set.merge", 1), want: `there is no event "change-set.merge"; did you mean change-set.merged?`},
		{name: "a pattern without events", text: strings.Replace(hook(""), "'*'", "'document.*'", 1), want: `there is no event "document.*"; use transaction.committed`},
		{name: "no events", text: strings.Replace(hook(""), "['*']", "[]", 1), want: "events is empty"},
		{name: "no principal", text: strings.Replace(hook(""), "as: {user: u}, ", "", 1), want: "as is missing; name the user"},
		{name: "a part of Dovetail", text: strings.Replace(hook(""), "user: u", "user: 'System:x'", 1), want: `the user "System:x" is a part of Dovetail`},
		{name: "no id", text: hook(", under: [cluster]"), want: "invalid id"},
		{name: "no secret file", text: strings.Replace(hook(""), "good", "none", 1), want: "the secret cannot be read: no such file"},
		{name: "a short secret", text: strings.Replace(hook(""), "good", "short", 1), want: `"short" has a line that is not whsec_ and 24 to 64 bytes in base64; make one with`},
		{name: "a secret without its prefix", text: strings.Replace(hook(""), "good", "bare", 1), want: "is not whsec_"},
		{name: "an empty secret", text: strings.Replace(hook(""), "good", "empty", 1), want: `"empty" is empty`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("f", []byte(tt.text), readFile, true)
			if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "MfKQ") {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestCheckKinds(t *testing.T) {
	all := []Subscription{{Name: "a", Kinds: []string{"node", "clutser"}}}
	err := CheckKinds(all, []string{"cluster", "node"})
	if dovetail.CodeOf(err) != dovetail.CodeInvalid || !strings.Contains(err.Error(), "the webhook a names the unknown kind clutser; did you mean cluster?") {
		t.Errorf("got %v", err)
	}
	if err := CheckKinds(all, []string{"node", "clutser"}); err != nil {
		t.Error(err)
	}
}
