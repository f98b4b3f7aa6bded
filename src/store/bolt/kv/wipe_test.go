package kv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWipe looks for what was replaced and deleted in the bytes of all files.
func TestWipe(t *testing.T) {
	for _, o := range []Options{tiny(), options()} {
		path := filepath.Join(t.TempDir(), "wipe.db")
		db := mustOpen(t, path, o)
		const secret = "swordfish"
		var want []string
		for i := range 300 {
			write(t, db, fmt.Sprintf("key%03d=%s", i, strings.Repeat(secret, 1+i)))
		}
		for i := range 300 {
			if i%3 == 0 {
				write(t, db, fmt.Sprintf("-key%03d", i))
				continue
			}
			want = append(want, fmt.Sprintf("key%03d=plain", i))
			write(t, db, want[len(want)-1])
		}
		if err := db.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := db.Wipe(); err != nil {
			t.Fatal(err)
		}
		wantContents(t, db, want...)
		for _, file := range []string{path, path + "-log0", path + "-log1"} {
			text, err := os.ReadFile(file)
			if err != nil || bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s holds what was replaced (%v)", file, err)
			}
		}
		write(t, db, "z=1")
		db = reopen(t, db, o)
		wantContents(t, db, append(want, "z=1")...)
	}
}
