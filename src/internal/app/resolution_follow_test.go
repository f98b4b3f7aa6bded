package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A source that follows a Helm repository has its charts, resolutions select from them, and a new version is there once a refresh is
// asked for.
func TestFollowedSource(t *testing.T) {
	var latest atomic.Pointer[string]
	publish := func(version string) { latest.Store(&version) }
	publish("1.0.0")
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index.yaml" || r.Header.Get("Authorization") != "Bearer t" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "apiVersion: v1\nentries:\n  web:\n  - {name: web, version: %s, urls: [web.tgz]}\n", *latest.Load())
	}))
	defer repository.Close()
	host := strings.TrimPrefix(repository.URL, "http://")
	credentials := filepath.Join(t.TempDir(), "credentials.yaml")
	writeFile(t, credentials, "hosts: [{host: '"+host+"', token: t}]\n")
	test := func(t *testing.T, s *running) {
		publish("1.0.0")
		s.must(t, 201, "PUT", "/v2/active-resolutions/r", `{"spec":{"constraints":["required(\"web\")"]}}`)
		s.must(t, 201, "PUT", "/v2/sources/charts", `{"spec":{"follow":{"type":"helm","url":"`+repository.URL+`","interval":"1h"}}}`)
		selected := func(version string) {
			t.Helper()
			eventually(t, "web "+version, func() bool {
				return strings.Contains(s.must(t, 200, "GET", "/v2/active-resolutions/r", ""), "charts:web:"+version+":stable")
			})
		}
		selected("1.0.0")
		publish("1.1.0")
		s.must(t, 202, "POST", "/api/sources/charts/refresh", "")
		selected("1.1.0")
		s.must(t, 201, "PUT", "/v2/sources/elsewhere", `{"spec":{"follow":{"type":"file","url":"https://example.org/catalog.yaml"}}}`)
		eventually(t, "the host to be refused", func() bool {
			text := s.must(t, 200, "GET", "/v2/sources/elsewhere", "")
			return strings.Contains(text, `"reason":"Failing"`) && strings.Contains(text, "not among the hosts")
		})
		s.must(t, 201, "PUT", "/v2/sources/plain", `{"spec":{}}`)
		if text := s.must(t, 409, "POST", "/api/sources/plain/refresh", ""); !strings.Contains(text, "follows nothing") {
			t.Error(text)
		}
		if text := s.must(t, 422, "PUT", "/v2/sources/wrong", `{"spec":{"follow":{"type":"helm","url":"https://example.org","intervall":"1h"}}}`); !strings.Contains(text, "interval") {
			t.Error(text)
		}
	}
	given := map[string]string{"source-hosts": "http://127.0.0.1:*", "source-credentials": credentials}
	t.Run("bolt", func(t *testing.T) { test(t, start(t, given)) })
	t.Run("mongo", func(t *testing.T) {
		test(t, start(t, map[string]string{"store": freshMongo(t).String(), "source-hosts": given["source-hosts"], "source-credentials": credentials}))
	})
}
