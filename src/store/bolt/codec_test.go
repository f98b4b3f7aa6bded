package bolt

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fullDocument has every field, with values that use several bytes where that matters.
func fullDocument() *dovetail.Document {
	return &dovetail.Document{
		ID:     "project/p1/app/nginx",
		Kind:   "app",
		Data:   json.RawMessage(`{"metadata":{"name":"nginx"},"spec":{"replicas":3}}`),
		Status: json.RawMessage(`{"phase":"ready"}`),
		Content: []dovetail.File{
			{Name: "file", Filename: "chart.tgz", MediaType: "application/gzip", Data: []byte{0, 1, 0xff}},
			{Name: "empty", Data: []byte{}},
		},
		References: []dovetail.Reference{
			{ID: "cluster/c1", Kind: "cluster"},
			{ID: "profile/p", Kind: "profile", Weak: true},
			{ID: "profile/q", Kind: "profile", Cascade: true},
		},
		UID:      "01J0000000000000000000000A",
		Revision: 300,
		Created:  time.Date(1969, time.July, 20, 20, 17, 40, 5, time.UTC),
		Updated:  time.Date(2026, time.March, 1, 12, 0, 0, 999999999, time.UTC),
		Schema:   "c0ffee",
	}
}

func someChanges() []store.Change {
	return []store.Change{
		{Op: store.Created, ID: "project/p1", Kind: "project", UID: "u1", Revision: 1},
		{Op: store.Updated, ID: "project/p1/app/a", Kind: "app", UID: "u2", Revision: 1 << 40},
		{Op: store.Deleted, ID: "cluster/c1", Kind: "cluster", UID: "u3", Revision: 7},
	}
}

func TestDocumentRoundTrip(t *testing.T) {
	cases := []struct {
		name string
		doc  *dovetail.Document
	}{
		{"every field", fullDocument()},
		{"inputs", &dovetail.Document{ID: "project/p1", Kind: "project", Status: json.RawMessage("{}"), Inputs: []dovetail.ID{"source/a", "source/b%2Fc"}}},
		{"terms", &dovetail.Document{ID: "project/p1", Kind: "project", References: []dovetail.Reference{{ID: "project/p2", Kind: "project"}}, Terms: []string{"a", "b"}}},
		{"only terms", &dovetail.Document{ID: "project/p1", Kind: "project", Terms: []string{"a"}}},
		{"no field", &dovetail.Document{ID: "project/p1"}},
		{"one long text", &dovetail.Document{ID: "project/p1", Kind: strings.Repeat("k", 300), Data: json.RawMessage(strings.Repeat("1", 100_000))}},
	}
	for _, c := range cases {
		got, ok := decodeDocument(c.doc.ID, encodeDocument(c.doc))
		if !ok || !reflect.DeepEqual(got, c.doc) {
			t.Errorf("%s: decoded %+v, %v, want %+v", c.name, got, ok, c.doc)
		}
		h, ok := headOf(encodeDocument(c.doc))
		if want := (head{c.doc.Kind, c.doc.UID, c.doc.Revision, c.doc.References, c.doc.Terms}); !ok || !reflect.DeepEqual(h, want) {
			t.Errorf("%s: head %+v, %v, want %+v", c.name, h, ok, want)
		}
	}
}

func TestChangesRoundTrip(t *testing.T) {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 1, time.UTC)
	from := store.Provenance{Principal: "ann", Message: "why", Origin: "git:c0ffee"}
	set, ok := decodeChanges(encodeChanges(now, someChanges(), from))
	if want := (store.Transaction{Time: now, Changes: someChanges(), Provenance: from}); !ok || !reflect.DeepEqual(set, want) {
		t.Errorf("decoded %+v, %v, want %+v", set, ok, want)
	}
}

// TestFormat keeps what is on users' disks readable: the golden files must never change.
func TestFormat(t *testing.T) {
	for name, value := range map[string][]byte{
		"document-2": setSince(encodeDocument(fullDocument()), 300),
		"changes-2":  encodeChanges(time.Date(2026, time.March, 1, 12, 0, 0, 1, time.UTC), someChanges(), store.Provenance{Principal: "ann", Message: "why", Origin: "git:c0ffee"}),
	} {
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, []byte(hex.Dump(value)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.Dump(value); got != string(want) {
			t.Errorf("%s is encoded as\n%swant\n%s", name, got, want)
		}
	}
}

// TestFirstFormat reads what was written before versions were kept.
func TestFirstFormat(t *testing.T) {
	document := fromDump(t, "document-1")
	d, ok := decodeDocument(fullDocument().ID, document)
	if since, sound := sinceOf(document); !ok || !sound || since != 0 || !reflect.DeepEqual(d, fullDocument()) {
		t.Errorf("decoded %+v, %v, since %d, %v", d, ok, since, sound)
	}
	set, ok := decodeChanges(fromDump(t, "changes-1"))
	if !ok || !reflect.DeepEqual(set.Changes, someChanges()) || set.Provenance != (store.Provenance{}) {
		t.Errorf("decoded %+v, %v", set, ok)
	}
}

// fromDump reads what hex.Dump wrote.
func fromDump(t *testing.T, name string) []byte {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("testdata", name+".golden"))
	if err != nil {
		t.Fatal(err)
	}
	var value []byte
	for line := range strings.Lines(string(dump)) {
		const offset, end = 8, 60 // of the digits in a line
		digits, err := hex.DecodeString(strings.Join(strings.Fields(line[offset:end]), ""))
		if err != nil {
			t.Fatal(err)
		}
		value = append(value, digits...)
	}
	return value
}

func TestErase(t *testing.T) {
	value := setSince(encodeDocument(fullDocument()), 7)
	stub, ok := erase(value)
	if since, sound := sinceOf(stub); !ok || !sound || since != 7 || !isErased(stub) || bytes.Contains(stub, []byte("replicas")) {
		t.Errorf("erased %q, %v, since %d", stub, ok, since)
	}
	want, _ := headOf(value)
	if h, ok := headOf(stub); !ok || !reflect.DeepEqual(h, want) {
		t.Errorf("its head is %+v, want %+v", h, want)
	}
	if _, twice := erase(stub); twice {
		t.Error("it is erased twice")
	}
}

// TestDamage changes each byte and cuts at each position: none goes unnoticed.
func TestDamage(t *testing.T) {
	doc := fullDocument()
	value := encodeDocument(doc)
	changes := encodeChanges(time.Now(), someChanges(), store.Provenance{Message: "why"})
	for _, c := range []struct {
		name   string
		value  []byte
		decode func([]byte) bool
	}{
		{"document", value, func(v []byte) bool { _, ok := decodeDocument(doc.ID, v); return ok }},
		{"head", value, func(v []byte) bool { _, ok := headOf(v); return ok }},
		{"changes", changes, func(v []byte) bool { _, ok := decodeChanges(v); return ok }},
	} {
		for i := range c.value {
			damaged := bytes.Clone(c.value)
			damaged[i] ^= 0x40
			if c.decode(damaged) {
				t.Errorf("%s: byte %d changed, and it decodes", c.name, i)
			}
			if c.decode(c.value[:i]) {
				t.Errorf("%s: cut after %d bytes, and it decodes", c.name, i)
			}
		}
	}
}

// TestDecodedIsOwned appends to each part of a decoded document; the others must not change.
func TestDecodedIsOwned(t *testing.T) {
	value := encodeDocument(fullDocument())
	d, ok := decodeDocument(fullDocument().ID, value)
	if !ok {
		t.Fatal("it does not decode")
	}
	clear(value)
	_ = append(d.Data, "xxxxxxxxxx"...)
	_ = append(d.Status, "xxxxxxxxxx"...)
	_ = append(d.Content[0].Data, "xxxxxxxxxx"...)
	if want := fullDocument(); !reflect.DeepEqual(d, want) {
		t.Errorf("it became %+v, want %+v", d, want)
	}
}

// FuzzDocument decodes anything that has a right checksum. What decodes is the same after another
// round.
func FuzzDocument(f *testing.F) {
	for _, d := range []*dovetail.Document{fullDocument(), {ID: "project/p1"}} {
		value := encodeDocument(d)
		f.Add(value[:len(value)-checksumSize-sinceSize])
	}
	f.Add([]byte{firstFormat, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, sealed []byte) {
		value := seal(bytes.Clone(sealed))
		if value[0] != firstFormat {
			value = setSince(append(value, make([]byte, sinceSize)...), 1)
		}
		d, ok := decodeDocument("project/p1", value)
		if !ok {
			return
		}
		again, ok := decodeDocument("project/p1", encodeDocument(d))
		if !ok || !reflect.DeepEqual(again, d) {
			t.Errorf("%+v becomes %+v, %v", d, again, ok)
		}
	})
}

// FuzzChanges does the same for entries of the change log.
func FuzzChanges(f *testing.F) {
	value := encodeChanges(time.Unix(0, 0), someChanges(), store.Provenance{Principal: "ann"})
	f.Add(value[:len(value)-checksumSize])
	f.Add([]byte{changesFormat, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, sealed []byte) {
		set, ok := decodeChanges(seal(bytes.Clone(sealed)))
		if !ok {
			return
		}
		again, ok := decodeChanges(encodeChanges(set.Time, set.Changes, set.Provenance))
		if !ok || !reflect.DeepEqual(again, set) {
			t.Errorf("%+v becomes %+v, %v", set, again, ok)
		}
	})
}
