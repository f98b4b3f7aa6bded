package bench

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/test/bench/peer"
)

// BenchmarkREST puts a dovetail process under load from 64 connections, which share the machine with it: creates
// whose parent and two references are checked, and gets of what was created.
func BenchmarkREST(b *testing.B) {
	database := filepath.Join(files.dir, "rest.db")
	d, err := peer.OpenStore(b.Context(), database)
	if err != nil {
		b.Fatal(err)
	}
	const prepared = 10_000 // to get
	if err := d.CreateTargets(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := d.CreateAll(b.Context(), 0, prepared); err != nil {
		b.Fatal(err)
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	s := serve(b, database)
	defer s.stop(b)
	next := prepared
	b.Run("create", func(b *testing.B) {
		first := next
		next += b.N
		s.load(b, connections, 201, func(buffer []byte, n int) []byte { return s.createRequest(buffer, peer.ItemOf(first+n)) })
	})
	b.Run("get", func(b *testing.B) {
		s.load(b, connections, 200, func(buffer []byte, n int) []byte { return s.getRequest(buffer, peer.ItemOf(n%prepared)) })
	})
}
