package app

import (
	"bytes"
	"encoding/base64"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// backendOnly are the sequences that go as they do because EMCO asks its backend how far the last action is, or because an action looks at
// more than states.
var backendOnly = map[string]bool{
	"dig-delete-terminating": true, "dig-stop-instantiated": true, "lc-delete-terminating": true, "lc-clusters-instantiating": true, "lc-stop": true,
	"lc-clusters-instantiated": true, // refers to a cluster that does not exist, which EMCO does not check
	"dig-rollback":             true, // to a revision that there is not
	"dig-migrate-to-nothing":   true, // without a body
	"lc-terminate-while-used":  true, // which asks for the groups that refer to it
}

// TestEMCOLifecycles plays sequences of actions that were recorded from EMCO: what it refuses is refused, what it does is done.
func TestEMCOLifecycles(t *testing.T) {
	text, err := os.ReadFile(emcoDatabases + "lifecycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse("lifecycle.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	files, setup, played := documents[0].Get("files"), documents[0].Get("setup").Items, 0
	for _, sequence := range documents[0].Get("sequences").Items {
		id := textOf(sequence, "id")
		if backendOnly[id] {
			continue
		}
		played++
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			s := start(t, map[string]string{"ref-schemas": emcoSchema, "api-profile": "emco"})
			for _, step := range setup {
				if status, text := s.play(t, http.MethodPost, step, files); status != http.StatusCreated {
					t.Fatalf("%s: status %d: %s", textOf(step, "path"), status, text)
				}
			}
			for i, step := range sequence.Get("steps").Items {
				method := textOf(step, "method")
				if method == "" {
					continue // the backend does something
				}
				status, text := s.play(t, method, step, files)
				if done, want := status < 300, strings.HasPrefix(textOf(step, "status"), "2"); done != want {
					t.Fatalf("step %d, %s: status %d, EMCO answers %s %q: %s", i, textOf(step, "do"), status, textOf(step, "status"), textOf(step, "text"), text)
				}
			}
		})
	}
	if played != 51 {
		t.Errorf("%d sequences were played", played)
	}
}

// play sends a step of a sequence.
func (r *running) play(t *testing.T, method string, step, files *value.Value) (status int, text string) {
	t.Helper()
	data := step.Get("body")
	if data == nil && method == http.MethodPost {
		data = value.NewMap(value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: value.NewString("")})})
	}
	var body bytes.Buffer
	contentType := "application/json"
	switch file := step.Get("file"); {
	case file != nil:
		content, err := base64.StdEncoding.DecodeString(textOf(files, file.Text))
		if err != nil {
			t.Fatal(err)
		}
		w := multipart.NewWriter(&body)
		metadata, err := w.CreateFormField("metadata")
		if err == nil {
			_, err = metadata.Write(data.JSON())
		}
		if err != nil {
			t.Fatal(err)
		}
		part, err := w.CreateFormFile("file", file.Text)
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		contentType = w.FormDataContentType()
	case data != nil:
		body.Write(data.JSON())
	}
	request := r.request(t, method, textOf(step, "path"), body.String())
	if body.Len() > 0 {
		request.Header.Set("Content-Type", contentType)
	}
	status, _, text = roundTrip(t, request)
	return status, text
}
