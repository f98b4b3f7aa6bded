package artifact_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
)

func TestFolder(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "sds")
	files := map[string]string{
		"sds/a-1.json": "json", "sds/b-1.yaml": "yaml", "sds/c-1.0-rc.1.yml": "yml", "sds/d-1.json": "first", "sds/d-1.yml": "second",
		"secret-1.json": "secret", "sds/sub/e-1.json": "below", "sds/big-1.json": strings.Repeat(" ", 16<<20+1), "sds/limit-1.json": strings.Repeat(" ", 16<<20),
	}
	for name, text := range files {
		file := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret-1.json", filepath.Join(dir, "link-1.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder-1.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, folder, artifact string
		source, reason         string
		code                   dovetail.Code
	}{
		{name: "json", artifact: "a:1", source: "sds/a-1.json"},
		{name: "yaml", artifact: "b:1", source: "sds/b-1.yaml"},
		{name: "yml", artifact: "c:1.0-rc.1", source: "sds/c-1.0-rc.1.yml"},
		{name: "the first of several", artifact: "d:1", source: "sds/d-1.json"},
		{name: "at the limit", artifact: "limit:1", source: "sds/limit-1.json"},
		{name: "over the limit", artifact: "big:1", reason: sd.ReasonArtifactTooLarge, code: dovetail.CodeTooLarge},
		{name: "another version", artifact: "a:2", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "no folder", folder: "/none", artifact: "a:1", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "outside", artifact: "../secret:1", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "below", artifact: "sub/e:1", reason: sd.ReasonArtifactNotFound, code: dovetail.CodeUnprocessable},
		{name: "outside by a link", artifact: "link:1", code: dovetail.CodeInternal},
		{name: "a folder in its place", artifact: "folder:1", code: dovetail.CodeInternal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, err := sd.ParseArtifact(test.artifact)
			if err != nil {
				t.Fatal(err)
			}
			source, text, err := artifact.Folder(dir+test.folder).Fetch(t.Context(), a)
			if test.code == "" {
				if err != nil || source != filepath.Join(base, test.source) || string(text) != files[test.source] {
					t.Errorf("%s, %.20q, %v", source, text, err)
				}
				return
			}
			e := dovetail.AsError(err)
			if e == nil || e.Code != test.code || e.Reason != test.reason || e.Position.File != test.artifact || e.Remedy == "" {
				t.Errorf("%+v", e)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := artifact.Folder(dir).Fetch(ctx, sd.Artifact{Application: "a", Version: "1"}); dovetail.CodeOf(err) != dovetail.CodeCanceled {
			t.Error(err)
		}
	})
}
