package resolution_test

import "testing"

// TestSourceIsReplacedOnce sends a request again with its idempotency key, after another one: it is answered as before, and changes nothing.
func TestSourceIsReplacedOnce(t *testing.T) {
	s := newServer(t)
	put := func(status int, name string, header ...string) string {
		t.Helper()
		body := `{"packages":[{"name":"` + name + `","versions":[{"version":"1.0.0","channels":["main"]}]}]}`
		return s.http.Must(status, "PUT", "/api/sources/cat", body, append(header, "Content-Type", "application/json")...).Text
	}
	key := []string{"Idempotency-Key", "k1", "Dovetail-Message", "the first"}
	first := put(200, "a", key...)
	put(200, "b")
	if again := put(200, "a", key...); again != first {
		t.Errorf("repeated: %s, want %s", again, first)
	}
	s.must(200, "GET", "/api/sources/cat/packages/b", "")
	put(422, "c", key...)
}
