package bolt

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// unpack unpacks two stores that an earlier version of Dovetail has written, one of them killed, and returns their folder.
func unpack(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	file, err := os.Open("testdata/" + name + ".tar.gz")
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
			path := filepath.Join(unpack(t, "format-1"), name)
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
			if referrers, err := then.Referrers(t.Context(), []dovetail.ID{"cluster/c"}, "", 0); err != nil || len(referrers) != 1 {
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

// TestEarlierFormatsAreTakenOver reads stores of the second format, in which all versions are whole, and of the third, which has
// the differences among them, at each of their positions, and goes on to write to them: they have what a store has that was
// always of this format.
func TestEarlierFormatsAreTakenOver(t *testing.T) {
	for _, made := range []string{"format-2/closed.db", "format-2/crashed.db", "format-3/closed.db", "format-3/crashed.db"} {
		t.Run(made, func(t *testing.T) {
			format, name := filepath.Split(made)
			path := filepath.Join(unpack(t, filepath.Clean(format)), name)
			script := newChangeScript()
			want := openTemporary(t, Options{})
			for range 150 { // as many as made the stores, with what a write under the same version did then
				txn := script.next()
				commit(t, want, txn)
				for _, doc := range txn.Puts {
					eraseRewritten(t, want, doc)
				}
			}
			if name == "closed.db" {
				readOnly := mustOpen(t, path, Options{ReadOnly: true})
				wantSameHistory(t, readOnly, want)
				if err := readOnly.Close(); err != nil {
					t.Fatal(err)
				}
			}
			b := mustOpen(t, path, Options{})
			defer func() { b.Close() }()
			wantSameHistory(t, b, want)
			wantClean(t, b)
			for range 100 {
				txn := script.next()
				commit(t, b, txn)
				commit(t, want, txn)
			}
			b = reopen(t, b)
			wantSameHistory(t, b, want)
			wantClean(t, b)
		})
	}
}

// TestHistoryBytes keeps less versions than commits where they are large.
func TestHistoryBytes(t *testing.T) {
	const size = 10_000
	b := openTemporary(t, Options{HistoryBytes: 5 * size})
	defer b.Close()
	d := document("project/p")
	random := rand.New(rand.NewPCG(1, 2))
	var positions []store.Cursor
	for n := range 20 {
		d.Revision = uint64(n + 1)
		d.Data = []byte(`"`)
		for len(d.Data) < size { // so that none is like the one before
			d.Data = strconv.AppendUint(d.Data, random.Uint64(), 36)
		}
		d.Data = append(d.Data, '"')
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

// eraseRewritten erases the earlier versions of a document that was just written again under its version.
func eraseRewritten(t *testing.T, b *Backend, doc *dovetail.Document) {
	t.Helper()
	err := b.doLogged(t.Context(), func(l *logWriter) error {
		if since, _ := sinceOf(l.batch.Get(docs, []byte(doc.ID))); since == l.bounds.last {
			return nil
		}
		w := &writer{batch: l.batch, log: l}
		for _, earlier := range w.earlierVersions(doc.ID) {
			l.eraseVersion(doc.ID, earlier.end)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
