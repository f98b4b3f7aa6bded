//go:build !race

package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// withoutWorker are the sequences that go as they do because EMCO asks its backend how far the last action is: they need a worker.
var withoutWorker = map[string]bool{
	"dig-delete-terminating": true, "dig-stop-instantiated": true, "lc-delete-terminating": true, "lc-clusters-instantiating": true, "lc-stop": true,
}

// notPlayed are the sequences in which EMCO does what Dovetail does not.
var notPlayed = map[string]bool{
	"lc-clusters-instantiated": true, // refers to a cluster that does not exist, which EMCO does not check
	"dig-migrate-to-nothing":   true, // refuses any body, by a pattern for a member that the body does not have
}

// TestEMCOLifecycles plays sequences of actions that were recorded from EMCO: what it refuses is refused, what it does is done. One
// request comes after the other, so there is nothing for the race detector.
func TestEMCOLifecycles(t *testing.T) {
	text, err := os.ReadFile(emcoDatabases + "lifecycle.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse("lifecycle.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	files, setup := documents[0].Get("files"), documents[0].Get("setup").Items
	for _, test := range []struct {
		name    string
		schemas string
		worker  bool
		left    map[string]bool
		played  int
	}{
		{"without a worker", emcoSchema, false, withoutWorker, 53},
		{"with a worker", emcoWithWork(t), true, nil, 58},
	} {
		played := 0
		for _, sequence := range documents[0].Get("sequences").Items {
			id := textOf(sequence, "id")
			if notPlayed[id] || test.left[id] {
				continue
			}
			played++
			t.Run(test.name+"/"+id, func(t *testing.T) {
				t.Parallel()
				s := start(t, map[string]string{"ref-schemas": test.schemas, "api-profile": "emco"})
				for _, step := range setup {
					if status, text := s.play(t, http.MethodPost, step, files); status != http.StatusCreated {
						t.Fatalf("%s: status %d: %s", textOf(step, "path"), status, text)
					}
				}
				b := &emcoBackend{server: s, does: "done"}
				for i, step := range sequence.Get("steps").Items {
					method := textOf(step, "method")
					if method == "" {
						b.does = textOf(step, "backend")
						continue
					}
					status, text := s.play(t, method, step, files)
					if done, want := status < 300, strings.HasPrefix(textOf(step, "status"), "2"); done != want {
						t.Fatalf("step %d, %s: status %d, EMCO answers %s %q: %s", i, textOf(step, "do"), status, textOf(step, "status"), textOf(step, "text"), text)
					}
					if want := step.Get("answer"); want != nil && (textOf(step, "do") == "lc-status" || textOf(step, "do") == "cl-status" && textOf(step, "from") == "Created") && test.worker {
						sameStatus(t, text, want)
					}
					if test.worker {
						b.work(t)
					}
				}
			})
		}
		if played != test.played {
			t.Errorf("%s, %d sequences were played", test.name, played)
		}
	}
}

// emcoBackend carries actions out as EMCO's backend does in a sequence: they are done, begun or fail.
type emcoBackend struct {
	server *running
	does   string
}

func (b *emcoBackend) work(t *testing.T) {
	t.Helper()
	c, err := client.New(b.server.URL(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	worker := client.Worker{Queue: c, Name: "rsync", Do: func(context.Context, *store.Work) (store.WorkResult, error) {
		return store.WorkResult{Failed: b.does == "fail", Status: value.NewMap(value.Member{Name: "readyStatus", Value: value.NewString("Ready")})}, nil
	}}
	for b.does != "begin" {
		finished, err := worker.Once(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !finished {
			return
		}
	}
}

// emcoWithWork is EMCO's ref-schema with actions that a worker carries out.
func emcoWithWork(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	names, err := filepath.Glob(emcoSchema + "/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	action := regexp.MustCompile(`(?m)^( {8}(?:instantiate|terminate|stop|update|rollback|migrate|apply): \{|( {8})(terminate):\n {10})`)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err == nil {
			text = action.ReplaceAll(text, []byte("${1}work: true, "))
			text = bytes.ReplaceAll(text, []byte("work: true, transitions:\n"), []byte("work: true\n          transitions:\n"))
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sameStatus compares a status with that of EMCO, except times and the numbers of contexts.
func sameStatus(t *testing.T, text string, want *value.Value) {
	t.Helper()
	plain := func(text []byte) string {
		text = regexp.MustCompile(`"time":"[^"]+"`).ReplaceAll(text, []byte(`"time":"T"`))
		text = regexp.MustCompile(`"(instance|statusctxid)":"[0-9]+"`).ReplaceAll(text, []byte(`"$1":"C"`))
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return asText(v)
	}
	if got, want := plain([]byte(text)), plain(want.JSON()); got != want {
		t.Errorf("the status is %s, that of EMCO %s", got, want)
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
