package cli_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestCompressedInput: a file of gzip is called so by every command that reads text.
func TestCompressedInput(t *testing.T) {
	t.Chdir(t.TempDir())
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("{kind: project}\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a.yaml", packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"import catalog community a.yaml", "resolve -f a.yaml", "layering render -f a.yaml", "sd merge a.yaml a.yaml", "import a.yaml", "apply -f a.yaml",
	} {
		t.Run(command, func(t *testing.T) {
			var errs bytes.Buffer
			deps := builtIn(t, false)
			deps.Out, deps.Err = &errs, &errs
			code := cli.Run(t.Context(), deps, strings.Fields(command))
			if code == 0 || !strings.Contains(errs.String(), "a.yaml: it is compressed by gzip") {
				t.Errorf("ends with %d: %s", code, errs.String())
			}
		})
	}
}
