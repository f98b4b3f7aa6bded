package app

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// The page is there with the resources, which it is about, and takes nothing else from the API.
func TestThePageIsServedWithTheResources(t *testing.T) {
	tests := []struct {
		name     string
		services string
		status   int
		greeting string
	}{
		{name: "all", services: "resources,descriptor", status: 200, greeting: "/ui/\n"},
		{name: "a service alone", services: "descriptor", status: 404, greeting: "none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := start(t, map[string]string{"services": test.services})
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/ui/explorer", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", "text/html")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != test.status {
				t.Errorf("status %d, want %d", response.StatusCode, test.status)
			}
			if policy := response.Header.Get("Content-Security-Policy"); strings.Contains(policy, "script-src 'self'") != (test.status == 200) {
				t.Errorf("policy %q", policy)
			}
			if index := server.must(t, 200, "GET", "/", ""); !strings.Contains(index, `"endpoints"`) {
				t.Errorf("the index of the API is gone: %s", index)
			}
			var text bytes.Buffer
			if server.Greet(&text); !strings.Contains(text.String(), test.greeting) {
				t.Errorf("the greeting: %s", text.String())
			}
		})
	}
}
