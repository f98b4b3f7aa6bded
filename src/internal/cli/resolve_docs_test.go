package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
)

// TestResolutionDocumentation runs the commands that pages show on the files that they show.
func TestResolutionDocumentation(t *testing.T) {
	tests := []struct {
		name  string
		files int
	}{
		{"resolution.md", 10},
		{"explanations.md", 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			name, err := filepath.Abs("../../../docs/" + tt.name)
			if err != nil {
				t.Fatal(err)
			}
			page, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			files := fileBlock.FindAllStringSubmatch(string(page), -1)
			if len(files) != tt.files {
				t.Errorf("%d files", len(files))
			}
			for _, file := range files {
				writeFile(t, file[1], file[2])
			}
			got := replay(t, cli.Deps{}, string(page))
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(page) {
				t.Errorf("the page shows something else:\n%s", difference(string(page), got))
			}
		})
	}
}
