package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/backup"
	"github.com/dovetail-store/dovetail/src/internal/testkit/rounds"
	_ "github.com/dovetail-store/dovetail/src/internal/testkit/testheap"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

var moment = time.Date(2026, 11, 22, 12, 0, 0, 5e6, time.UTC)

func documents(n int) []*dovetail.Document {
	all := make([]*dovetail.Document, n)
	for i := range all {
		all[i] = &dovetail.Document{ID: dovetail.ID(fmt.Sprintf("project/p%06d", i)), Kind: []string{"project", "app"}[i%2], UID: fmt.Sprint("u", i), Revision: 3,
			Created: moment, Updated: moment.Add(time.Second), Schema: "h", Data: []byte(`{"a":"<&>\u003c","n":1.50}`)}
	}
	return all
}

func full() []*dovetail.Document {
	all := documents(3)
	all[1].Status, all[1].Inputs = []byte(`{"phase":"ready"}`), []dovetail.ID{"project/p000000"}
	all[1].Content = []dovetail.File{{Name: "file", Filename: "a.bin", MediaType: "application/octet-stream", Data: []byte{0, 1, 255}}}
	all[2].References = []dovetail.Reference{{ID: "project/p000000", Kind: "project", Weak: true}, {ID: "project/p000001", Kind: "app", Cascade: true}}
	return all
}

func sequence(all []*dovetail.Document, last error) iter.Seq2[*dovetail.Document, error] {
	return func(yield func(*dovetail.Document, error) bool) {
		for _, d := range all {
			if !yield(d, nil) {
				return
			}
		}
		if last != nil {
			yield(nil, last)
		}
	}
}

func write(t testing.TB, all []*dovetail.Document) []byte {
	t.Helper()
	var out bytes.Buffer
	b := &store.Backup{Position: "7", Time: moment, Schema: "h", Sources: []schema.Source{{Name: "a.yaml", Data: []byte("resources: []\n")}}, Documents: sequence(all, nil)}
	summary, err := backup.Write(t.Context(), &out, b, backup.Options{Now: moment})
	if err != nil || summary.Documents != len(all) {
		t.Fatal(summary, err)
	}
	return out.Bytes()
}

func read(text []byte) (header *backup.Header, summary *backup.Summary, all []*dovetail.Document, err error) {
	header, summary, err = backup.Read(bytes.NewReader(text), nil, func(d *dovetail.Document) error {
		all = append(all, d)
		return nil
	})
	return header, summary, all, err
}

// TestRoundTrip reads what was written: nothing differs.
func TestRoundTrip(t *testing.T) {
	for _, test := range []struct {
		name string
		all  []*dovetail.Document
	}{
		{"empty", nil},
		{"everything that a document has", full()},
		{"several chunks", documents(5001)},
	} {
		t.Run(test.name, func(t *testing.T) {
			header, summary, all, err := read(write(t, test.all))
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != len(test.all) || len(all) > 0 && !reflect.DeepEqual(all, test.all) {
				t.Errorf("%d documents, or others, of %d", len(all), len(test.all))
			}
			total := 0
			for _, n := range summary.Kinds {
				total += n
			}
			if summary.Documents != len(test.all) || total != len(test.all) || len(summary.SHA256) != 64 {
				t.Errorf("%+v", summary)
			}
			if header.Position != "7" || !header.Time.Equal(moment) || header.Schema.Hash != "h" || string(header.Schema.ToSchema()[0].Data) != "resources: []\n" {
				t.Errorf("%+v", header)
			}
		})
	}
}

// TestDamage flips every bit of a backup, and cuts it off behind every byte: each is noticed.
func TestDamage(t *testing.T) {
	text := write(t, full())
	for at := range text {
		for bit := range 8 {
			damaged := bytes.Clone(text)
			damaged[at] ^= 1 << bit
			if _, _, _, err := read(damaged); dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatalf("bit %d of byte %d of %d: %v", bit, at, len(text), err)
			}
		}
		_, _, _, err := read(text[:at])
		if e := dovetail.AsError(err); err == nil || e.Code != dovetail.CodeInvalid || e.Remedy == "" || !strings.Contains(e.Message, "cut off at byte") {
			t.Fatalf("the first %d of %d bytes: %v", at, len(text), err)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range rounds.Of(500, 10_000) {
		damaged, what := rounds.Damage(random, text)
		if _, _, _, err := read(damaged); !bytes.Equal(damaged, text) && dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, more := range map[string][]byte{"a byte": {0}, "itself": text} {
		if _, _, _, err := read(append(bytes.Clone(text), more...)); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("followed by %s: %v", name, err)
		}
	}
}

// TestRefused says what is wrong with a file, where, and what to do.
func TestRefused(t *testing.T) {
	later := backup.Member([]byte(`{"dovetailBackup":{"format":2,"schema":"another"}}` + "\n"))
	large := write(t, documents(5001))
	header := backup.Member([]byte(`{"dovetailBackup":{"format":1,"created":"2026-01-01T00:00:00Z","position":"p","time":"2026-01-01T00:00:00Z","schema":{"hash":"h","sources":null}}}` + "\n"))
	document := `{"id":"project/p","kind":"project","uid":"u","revision":1,"created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z","data":{"unknown":1}`
	unknown := slices.Concat(header, backup.Member([]byte(document+`,"versions":[]}`+"\n")))
	damaged := bytes.Clone(unknown)
	damaged[len(damaged)-8] ^= 1 // of the checksum
	for _, test := range []struct {
		name, message, remedy string
		text                  []byte
	}{
		{"a later format", "the backup has format 2, and this version of Dovetail reads up to format 1", "a later one", later},
		{"unknown content", `the backup holds "versions", which this version of Dovetail does not know`, "a later one", unknown},
		{"unknown content of the header", `the backup holds "more"`, "a later one", backup.Member([]byte(`{"dovetailBackup":{"format":1},"more":1}` + "\n"))},
		{"unknown content by damage", "damaged before byte", "another copy", damaged},
		{"two values in a line", "something follows in the line", "another copy", slices.Concat(header, backup.Member([]byte(document+"}{}\n")))},
		{"an export", "not a backup", "dovetail import", []byte(`{"id":"project/p"}` + "\n")},
		{"another gzip file", "its first line is not that of a backup", "dovetail import", backup.Member([]byte("hello\n"))},
		{"half of it", "documents, the last of them project/p00", "another copy", large[:len(large)/2]},
		{"without its end", "cut off at byte", "another copy", large[:bytes.LastIndex(large, []byte{0x1f, 0x8b})]},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, _, err := read(test.text)
			e := dovetail.AsError(err)
			if err == nil || !strings.Contains(e.Message, test.message) || !strings.Contains(e.Remedy, test.remedy) {
				t.Errorf("%v; %s", err, e.Remedy)
			}
		})
	}
}

// TestBrokenOff returns the errors of those who give and take documents.
func TestBrokenOff(t *testing.T) {
	mine := &dovetail.Error{Code: dovetail.CodeExpired, Message: "mine"}
	b := &store.Backup{Documents: sequence(documents(10), mine)}
	if _, err := backup.Write(t.Context(), io.Discard, b, backup.Options{}); dovetail.CodeOf(err) != dovetail.CodeExpired {
		t.Errorf("Write: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.Documents = sequence(documents(10), nil)
	if _, err := backup.Write(ctx, io.Discard, b, backup.Options{}); dovetail.CodeOf(err) != dovetail.CodeCanceled {
		t.Errorf("Write when interrupted: %v", err)
	}
	text := write(t, full())
	if _, _, err := backup.Read(bytes.NewReader(text), func(*backup.Header) error { return mine }, nil); dovetail.CodeOf(err) != dovetail.CodeExpired {
		t.Errorf("Read: %v", err)
	}
	if _, _, err := backup.Read(bytes.NewReader(text), nil, func(*dovetail.Document) error { return mine }); dovetail.CodeOf(err) != dovetail.CodeExpired {
		t.Errorf("Read: %v", err)
	}
}

// FuzzRead gives any file to the reader: what it accepts it reads twice alike, what it refuses it explains.
func FuzzRead(f *testing.F) {
	text := write(f, full())
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add(backup.Member([]byte(`{"dovetailBackup":{"format":1}}` + "\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, summary, all, err := read(text)
		if err != nil {
			if e := dovetail.AsError(err); e.Code != dovetail.CodeInvalid || e.Message == "" || e.Remedy == "" {
				t.Fatalf("%+v", e)
			}
			return
		}
		_, again, _, err := read(text)
		if err != nil || summary.Documents != len(all) || !reflect.DeepEqual(summary, again) {
			t.Fatal(summary, again, err)
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	all := documents(20_000)
	for b.Loop() {
		if _, err := backup.Write(b.Context(), io.Discard, &store.Backup{Documents: sequence(all, nil)}, backup.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "documents/s")
}

func BenchmarkRead(b *testing.B) {
	text := write(b, documents(20_000))
	for b.Loop() {
		if _, _, err := backup.Read(bytes.NewReader(text), nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(20_000*b.N)/b.Elapsed().Seconds(), "documents/s")
}
