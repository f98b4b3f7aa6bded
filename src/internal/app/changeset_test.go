package app

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sendIn sends a request to a server, with If-Match for those that want one, and returns the body of an answer of 2xx.
func sendIn(t *testing.T, s *running, method, path, media, body string) string {
	t.Helper()
	request := s.request(t, method, path, body)
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	if strings.HasPrefix(path, "/api/ui-override") && method != http.MethodPost {
		request.Header.Set("If-Match", "*")
	}
	status, _, text := roundTrip(t, request)
	if status/100 != 2 {
		t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return text
}

// TestImpact stages changes that services derive something from.
func TestImpact(t *testing.T) {
	const environment, in, impact = "?environmentId=v/dev", "?changeSet=one", "/api/change-sets/one/impact"
	const yaml = "application/x-yaml"
	bucket := func(a string) string { return strings.Replace(layeredDocuments[0], "{a: 1}", "{a: "+a+"}", 1) }
	tests := []struct {
		name                      string
		method, path, media, body string
		want                      []string // service and id of each item
		parts                     []string // of the answer
	}{
		{name: "nothing derived", method: "PUT", path: "/v2/clusters/v" + in, body: `{"spec":{"x":1}}`},
		{name: "an override", method: "PUT", path: "/api/ui-override" + in, body: `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":8}}`,
			want: []string{"override v/dev/pipeline"}, parts: []string{`{"op":"replace","path":"/a","from":7,"to":8}`}},
		{name: "a bucket", method: "PUT", path: "/api/v1.0/buckets/a/documents" + in, media: yaml, body: bucket("2"),
			want: []string{"layering a/example/Kind/v1/own/global"}, parts: []string{`"from":1,"to":2`}},
		{name: "a version", method: "PUT", path: "/v2/sources/s1/packages/p/versions/2.0.0" + in, body: `{"metadata":{"name":"2.0.0"},"spec":{"channels":["main"]}}`,
			want: []string{"resolution activeResolution/all"}, parts: []string{"s1:p:2.0.0:main"}},
		{name: "a resolution", method: "DELETE", path: "/v2/active-resolutions/all" + in, want: []string{"resolution activeResolution/all"}, parts: []string{`"op":"remove"`}},
		{name: "a set of resolutions", method: "PUT", path: "/v2/active-resolution-sets/some" + in, body: `{"spec":{"clusters":[{"name":"a"}],"template":{"spec":{"constraints":["required(\"p\")"]}}}}`,
			want: []string{"resolution activeResolution/some-a"}, parts: []string{"s1:p:1.0.0:main"}},
		{name: "a cluster that a set selects", method: "PUT", path: "/v2/clusters/v" + in, body: `{"metadata":{"labels":{"env":"prod"}}}`,
			want: []string{"resolution activeResolution/prod-v"}, parts: []string{"s1:p:1.0.0:main"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, map[string]string{"log-level": "error"})
			sendIn(t, s, "POST", "/v2/batch", "application/yaml", visible)
			sendIn(t, s, "POST", "/api/ui-override", "", `{"environmentId":"v/dev","context":"pipeline","parameters":{"a":7}}`)
			sendIn(t, s, "PUT", "/api/v1.0/buckets/common/documents", yaml, commonBucket)
			sendIn(t, s, "PUT", "/api/v1.0/buckets/a/documents", yaml, bucket("1"))
			sendIn(t, s, "PUT", "/v2/active-resolutions/all?wait=2m", "", `{"metadata":{"name":"all"},"spec":{"constraints":["required(\"p\")"]}}`)
			sendIn(t, s, "PUT", "/v2/active-resolution-sets/prod", "", `{"spec":{"clusterSelector":"env=prod","template":{"spec":{"constraints":["required(\"p\")"]}}}}`)
			sendIn(t, s, "POST", "/api/change-sets", "", `{"name":"one"}`)
			sendIn(t, s, test.method, test.path, test.media, test.body)
			text := sendIn(t, s, "GET", impact, "", "")
			var found struct {
				Items      []struct{ Service, ID string }
				Total      int
				Incomplete bool
			}
			decode(t, text, &found)
			var items []string
			for _, item := range found.Items {
				items = append(items, item.Service+" "+item.ID)
			}
			if !slices.Equal(items, test.want) || found.Total != len(items) || found.Incomplete {
				t.Errorf("%s, want %s", text, test.want)
			}
			for _, part := range test.parts {
				if !strings.Contains(text, part) {
					t.Errorf("%s lacks %s", text, part)
				}
			}
			sendIn(t, s, "POST", "/api/change-sets/one/merge", "", "")
		})
	}
}

// TestStagedSecretsAreEncrypted stages a credential: what it says is not in the files of the store.
func TestStagedSecretsAreEncrypted(t *testing.T) {
	folder := t.TempDir()
	keys, database := filepath.Join(folder, "main.key"), filepath.Join(folder, "dovetail.db")
	if err := os.WriteFile(keys, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, map[string]string{"store": "bolt:" + database, "encryption-key-file": keys})
	const marker = "hunter2-in-a-change-set"
	sendIn(t, s, "POST", "/api/change-sets", "", `{"name":"one","title":"title-in-clear"}`)
	sendIn(t, s, "PUT", "/v2/credentials/c?changeSet=one", "", `{"metadata":{"name":"c"},"spec":{"type":"secret","data":{"secret":"`+marker+`"}}}`)
	if diff := sendIn(t, s, "GET", "/api/change-sets/one/diff", "", ""); !strings.Contains(diff, marker) {
		t.Fatal("the diff lacks what is staged:", diff)
	}
	sendIn(t, s, "POST", "/api/change-sets/one/merge", "", "")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	found := false
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(marker)) {
			t.Errorf("%s holds the secret", path)
		}
		found = found || bytes.Contains(text, []byte("title-in-clear"))
		return err
	})
	if err != nil || !found {
		t.Error("the title, which is not encrypted, is nowhere, so that this test sees nothing", err)
	}
}
