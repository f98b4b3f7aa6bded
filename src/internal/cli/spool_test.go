package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	type kept struct {
		at   int64
		text []byte
	}
	var all []kept
	for range 500 {
		text := bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(2000)) // also of no length, and more in all than the buffer
		at, err := s.Write(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, kept{at, text})
		if k := all[r.IntN(len(all))]; r.IntN(3) == 0 {
			if got, err := s.Read(k.at); err != nil || !bytes.Equal(got, k.text) {
				t.Fatalf("at %d are %d bytes, %v; want %d", k.at, len(got), err, len(k.text))
			}
		}
	}
	for _, k := range all {
		if got, err := s.Read(k.at); err != nil || !bytes.Equal(got, k.text) {
			t.Fatalf("at %d are %d bytes, %v; want %d", k.at, len(got), err, len(k.text))
		}
	}
	t.Setenv("TMPDIR", dir+"/none")
	if _, err := newSpool(); dovetail.CodeOf(err) != dovetail.CodeUnavailable {
		t.Errorf("without a folder: %v", err)
	}
}
