package memdir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

func TestNew(t *testing.T) {
	var first string
	t.Run("two folders", func(t *testing.T) {
		first = memdir.New(t)
		file := filepath.Join(first, "x")
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if second := memdir.New(t); second == first {
			t.Errorf("both are %s", first)
		}
	})
	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the test the folder is there: %v", err)
	}
}
