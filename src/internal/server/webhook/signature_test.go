package webhook

import (
	"net/http"
	"testing"
	"time"
)

// TestSign uses the example of the specification, with a second secret.
func TestSign(t *testing.T) {
	secrets := readAll(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\nwhsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	h := http.Header{}
	sign(h, secrets, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,woH/1mJtZGSMCmpFTxRYbStS24eLLD/oXIYr4PYyZ7g="
	if got := h.Get("webhook-signature"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if h.Get("webhook-id") != "msg_p5jXN8AQM9LWM0D4loKWxJek" || h.Get("webhook-timestamp") != "1614265330" {
		t.Errorf("%v", h)
	}
}

func readAll(t *testing.T, text string) [][]byte {
	t.Helper()
	all, err := Parse("f", []byte("webhooks: [{name: a, url: 'https://x', secretFile: s, events: ['*']}]"), func(string) ([]byte, error) { return []byte(text), nil }, false)
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Secrets
}
