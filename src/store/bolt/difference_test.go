package bolt

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// noise is text that has no two equal parts.
func noise(n int) string {
	random := rand.New(rand.NewPCG(5, uint64(n)))
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(26))
	}
	return string(text)
}

// stored is a stored document with the data.
func stored(data string, revision, since uint64) []byte {
	d := fullDocument()
	d.Data, d.Revision = []byte(data), revision
	return setSince(encodeDocument(d), since)
}

func TestDifference(t *testing.T) {
	long, other := noise(20_000), noise(20_001)
	cases := []struct {
		name         string
		newer, older string
		most         int // bytes; 0 for a version that is to be kept whole
	}{
		{"the same", long, long, 60},
		{"a byte changed", long[:500], long[:250] + "." + long[251:500], 70},
		{"bytes appended", long[:500] + "end", long[:500], 70},
		{"bytes cut off", long[:500], long[:500] + "end", 70},
		{"two places", long[:900], long[:300] + "one" + long[301:600] + "two" + long[600:900], 90},
		{"a part in front", "front" + long[:5000], long[:5000], 70},
		{"halves in the other order", long[2500:5000] + long[:2500], long[:5000], 90},
		{"much removed", long[:1000] + long[19_000:], long, 0},
		{"much inserted", long, long[:1000] + long[19_000:], 90},
		{"twenty places of a long one", long, strings.ReplaceAll(long, long[7000:7003], "......"), 200},
		{"nothing in common", other, long, 0},
		{"empty and not", "", long[:500], 0},
		{"both empty", "", "", 70},
		{"repetition", strings.Repeat("words ", 300), strings.Repeat("words ", 50), 70},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			newer, older := stored(c.newer, 301, 9), stored(c.older, 300, 7)
			encoded, ok := difference(newer, older)
			if ok != (c.most > 0) || len(encoded) > c.most {
				t.Fatalf("%d bytes take %d, %v, want at most %d", len(older), len(encoded), ok, c.most)
			}
			if !ok {
				return
			}
			if since, sound := sinceOf(encoded); !sound || since != 7 || !isDifference(encoded) || isErased(encoded) {
				t.Errorf("it began at %d, %v", since, sound)
			}
			if got, ok := patch(newer, encoded); !ok || !bytes.Equal(got, older) {
				t.Errorf("it is %q, %v", got, ok)
			}
			if _, ok := headOf(encoded); ok {
				t.Error("a difference is read as a document")
			}
		})
	}
}

// TestDamagedDifference changes each byte of a difference, and of the version that it is one from: none goes unnoticed.
func TestDamagedDifference(t *testing.T) {
	text := noise(400)
	newer, older := stored(text, 301, 9), stored(text[:200]+"-"+text[200:300]+text[301:], 300, 7)
	encoded, ok := difference(newer, older)
	if !ok {
		t.Fatal("it is no difference")
	}
	sound := func(newer, encoded []byte) bool {
		value, ok := patch(newer, encoded)
		if ok {
			_, ok = headOf(value)
		}
		return ok && bytes.Equal(value, older)
	}
	if !sound(newer, encoded) {
		t.Fatal("it cannot be read")
	}
	for i := range encoded {
		damaged := bytes.Clone(encoded)
		damaged[i] ^= 0x40
		if value, ok := patch(newer, damaged); ok {
			if _, readable := headOf(value); readable {
				t.Errorf("byte %d changed, and it can be read", i)
			}
		}
		if sound(newer, encoded[:i]) {
			t.Errorf("cut after %d bytes, and it can be read", i)
		}
	}
	for i := range newer {
		damaged := bytes.Clone(newer)
		damaged[i] ^= 0x40
		if value, ok := patch(damaged, encoded); ok {
			if _, readable := headOf(value); readable && !bytes.Equal(value, older) {
				t.Errorf("byte %d of the newer version changed, and another version is read", i)
			}
		}
	}
}

// FuzzDifference makes differences of any two texts, and reads anything as a difference.
func FuzzDifference(f *testing.F) {
	text := noise(300)
	f.Add(text, text[:100]+text[120:])
	f.Add(text, text+text)
	f.Add("", text)
	f.Fuzz(func(t *testing.T, newer, older string) {
		from, value := stored(newer, 2, 2), stored(older, 1, 1)
		if encoded, ok := difference(from, value); ok {
			if got, ok := patch(from, encoded); !ok || !bytes.Equal(got, value) || len(encoded) > len(value)/2 {
				t.Errorf("%q from %q takes %d bytes and becomes %q, %v", older, newer, len(encoded), got, ok)
			}
		}
		tail := strings.Repeat("t", tailSize)
		if value, ok := patch(from, append([]byte{differenceFormat}, older+tail...)); ok && !bytes.HasSuffix(value, []byte(tail)) {
			t.Errorf("%q is read as %q", older, value)
		}
	})
}

// TestDamagedVersions meets versions whose difference, or the version that it is one from, is damaged: they are reported, and all
// others can be read.
func TestDamagedVersions(t *testing.T) {
	for _, c := range []struct {
		name       string
		space      kv.Space
		key        []byte
		unreadable []uint64 // positions
	}{
		{"a difference", differences, differenceKey("project/p", 13), []uint64{9, 10, 11, 12}}, // back to a version that is whole
		{"the document of now", docs, []byte("project/p"), []uint64{17, 18, 19, 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := openTemporary(t, Options{})
			d := document("project/p")
			text := noise(300)
			for n := range 20 {
				d.Revision, d.Data = uint64(n+1), fmt.Appendf(nil, "%q", text[:100+n]+fmt.Sprint(n)+text[100+n:])
				commit(t, b, store.Txn{Puts: []*dovetail.Document{d}})
			}
			change(t, b, func(batch *kv.Batch) {
				damaged := bytes.Clone(batch.Get(c.space, c.key))
				damaged[len(damaged)/2] ^= 0x40
				batch.Put(c.space, c.key, damaged)
			})
			var unreadable []uint64
			for n := range uint64(20) {
				then, err := b.At(t.Context(), b.cursor(n+1))
				if err != nil {
					t.Fatal(err)
				}
				got, err := then.Get(t.Context(), "project/p")
				if listed := listError(t.Context(), then); dovetail.CodeOf(listed) != dovetail.CodeOf(err) {
					t.Errorf("at %d a read gives %v, a list %v", n+1, err, listed)
				}
				switch {
				case dovetail.CodeOf(err) == dovetail.CodeCorrupt:
					unreadable = append(unreadable, n+1)
				case err != nil || got.Revision != n+1 || !strings.Contains(string(got.Data), fmt.Sprint(n)):
					t.Errorf("at %d there is %+v, %v", n+1, got, err)
				}
			}
			if fmt.Sprint(unreadable) != fmt.Sprint(c.unreadable) {
				t.Errorf("the positions %v cannot be read, want %v", unreadable, c.unreadable)
			}
			found := 0
			for finding, err := range b.Check(t.Context(), false) {
				if err != nil || finding.ID != "project/p" {
					t.Errorf("Check: %+v, %v", finding, err)
				}
				if finding.Problem == undecodable {
					found++
				}
			}
			if found != len(c.unreadable) {
				t.Errorf("Check reports %d, want %d", found, len(c.unreadable))
			}
		})
	}
}

// listError is the error of a list of all.
func listError(ctx context.Context, r store.Reader) (last error) {
	for _, last = range r.List(ctx, store.Query{}) {
	}
	return last
}
