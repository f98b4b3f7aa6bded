package bolt

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// unpackFirstFormat unpacks two stores that the version of Dovetail before versions were kept has written, one of them
// killed, and returns their folder.
func unpackFirstFormat(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file, err := os.Open("testdata/format-1.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(header.Name)), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFirstFormatIsTakenOver reads a store of the first format, and then writes to it: versions are kept from then on.
func TestFirstFormatIsTakenOver(t *testing.T) {
	for _, name := range []string{"closed.db", "crashed.db"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(unpackFirstFormat(t), name)
			want := []dovetail.ID{"cluster/c", "project/p"}
			if name == "closed.db" {
				readOnly := mustOpen(t, path, Options{ReadOnly: true})
				wantDocuments(t, readOnly, want)
				if err := readOnly.Close(); err != nil {
					t.Fatal(err)
				}
			}
			b := mustOpen(t, path, Options{})
			defer func() { b.Close() }()
			wantDocuments(t, b, want)
			head, err := b.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d, err := b.Get(t.Context(), "project/p")
			if err != nil || d.Revision != 2 {
				t.Fatalf("%+v, %v", d, err)
			}
			third := *d
			third.Revision, third.References = 3, nil
			commit(t, b, store.Txn{Puts: []*dovetail.Document{&third}})
			commit(t, b, store.Txn{Deletes: []dovetail.ID{"cluster/c"}})
			b = reopen(t, b)
			wantDocuments(t, b, []dovetail.ID{"project/p"})
			wantClean(t, b)

			then, err := b.At(t.Context(), head)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := then.Get(t.Context(), "project/p"); err != nil || d.Revision != 2 {
				t.Errorf("before the change it is %+v, %v", d, err)
			}
			if referrers, err := then.Referrers(t.Context(), "cluster/c", "", 0); err != nil || len(referrers) != 1 {
				t.Errorf("before the change the referrers are %v, %v", referrers, err)
			}
			_, err = b.At(t.Context(), b.cursor(sequenceOf(t, b, head)-1))
			wantCode(t, "At of a position before versions were kept", err, dovetail.CodeExpired)
			var revisions []uint64
			for v, err := range b.Versions(t.Context(), "project/p") {
				if err != nil || v.Op != store.Updated {
					t.Errorf("version %+v, %v", v, err)
				}
				revisions = append(revisions, v.Revision)
			}
			if len(revisions) != 2 || revisions[0] != 3 || revisions[1] != 2 {
				t.Errorf("there are the revisions %v", revisions)
			}
		})
	}
}

// TestHistoryBytes keeps less versions than commits where they are large.
func TestHistoryBytes(t *testing.T) {
	const size = 10_000
	b := openTemporary(t, Options{HistoryBytes: 5 * size})
	defer b.Close()
	d := document("project/p")
	d.Data = append(append([]byte(`"`), make([]byte, size)...), '"')
	var positions []store.Cursor
	for n := range 20 {
		d.Revision = uint64(n + 1)
		commit(t, b, store.Txn{Puts: []*dovetail.Document{d}})
		head, err := b.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, head)
	}
	readable := 0
	for n, position := range positions {
		s, err := b.At(t.Context(), position)
		if err != nil {
			wantCode(t, "At", err, dovetail.CodeExpired)
			continue
		}
		readable++
		if got, err := s.Get(t.Context(), "project/p"); err != nil || got.Revision != uint64(n+1) {
			t.Errorf("position %d has %v, %v", n, got, err)
		}
	}
	if readable < 4 || readable > 6 {
		t.Errorf("%d positions can be read", readable)
	}
	n := 0
	for _, err := range b.Transactions(t.Context(), "") {
		wantCode(t, "Transactions", err, "")
		n++
	}
	if n != 20 {
		t.Errorf("the log has %d entries", n)
	}
	wantClean(t, b)
}
