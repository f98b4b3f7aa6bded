package containers_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compose returns how this machine calls Compose, and skips the test if it has none.
func compose(t *testing.T) []string {
	t.Helper()
	for _, words := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(words[0], append(words[1:], "version")...).Run() == nil { //nolint:gosec // one of the two
			return words
		}
	}
	t.Skip("there is no Compose on this machine")
	return nil
}

// TestCompose starts docker-compose.yml by profile, with a database of ours in place of MongoDB's image, and uses what
// answers at its port.
func TestCompose(t *testing.T) {
	words := compose(t)
	requireDatabaseImage(t)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	const port = "18480"
	for _, profile := range []string{"single", "microservices"} {
		t.Run(profile, func(t *testing.T) {
			do := func(ctx context.Context, args ...string) (string, error) {
				args = append(append(words[1:len(words):len(words)], "-f", filepath.Join(root, "docker-compose.yml"), "-f", "testdata/compose.yaml", "-p", "dovetail-test-"+profile), args...)
				command := exec.CommandContext(ctx, words[0], args...) //nolint:gosec // Compose
				command.Env = append(os.Environ(), "COMPOSE_PROFILES="+profile, "DOVETAIL_PORT="+port, "DOVETAIL_IMAGE="+image, "MONGODB_IMAGE="+databaseImage)
				var output bytes.Buffer
				command.Stdout, command.Stderr = &output, &output
				err := command.Run()
				return output.String(), err
			}
			t.Cleanup(func() {
				ctx := context.WithoutCancel(t.Context())
				if t.Failed() {
					text, _ := do(ctx, "logs", "--no-color", "--tail=20")
					t.Log(text)
				}
				if text, err := do(ctx, "down", "--volumes", "--timeout=5"); err != nil {
					t.Errorf("down: %v\n%s", err, text)
				}
			})
			if text, err := do(t.Context(), "up", "--detach"); err != nil {
				t.Fatalf("up: %v\n%s", err, text)
			}
			server := "http://127.0.0.1:" + port
			for _, path := range []string{"/v2/clusters", "/api/sd?environmentId=c/e", "/api/paramset/none", "/api/v1.0/revisions", "/v2/active-resolutions"} {
				eventually(t, path+" is served", func() bool {
					status, _ := get(t, server+path)
					return status != 0 && status != http.StatusServiceUnavailable
				})
			}
			answer, err := http.Post(server+"/v2/clusters", "application/json", strings.NewReader(`{"metadata":{"name":"c"}}`))
			if err != nil {
				t.Fatal(err)
			}
			if answer.Body.Close(); answer.StatusCode != http.StatusCreated {
				t.Errorf("a cluster is created with %s", answer.Status)
			}
			if status, text := get(t, server+"/v2/clusters/c"); status != http.StatusOK {
				t.Errorf("it is read with %d %s", status, text)
			}
		})
	}
}
