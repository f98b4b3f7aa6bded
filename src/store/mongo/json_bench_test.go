package mongo

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

// BenchmarkRecord encodes and decodes a document of the workload, as each way to the database and back does.
func BenchmarkRecord(b *testing.B) {
	doc := storetest.Creation(1).Puts[0]
	r := &protocol.Record{ID: doc.ID, Doc: doc}
	r.Strong, r.Weak = protocol.Links(doc.References)
	raw, err := encodeRecord(r)
	must(b, err)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := encodeRecord(r)
			must(b, err)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := decodeRecord(raw)
			must(b, err)
		}
	})
	b.Run("JSON", func(b *testing.B) {
		for _, way := range []struct {
			name   string
			toBSON func([]byte) (bson.RawValue, bool)
		}{{"transcoded", transcode}, {"around", toBSONAround}} {
			b.Run(way.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, exact := way.toBSON(doc.Data); !exact {
						b.Fatal("not exact")
					}
				}
			})
		}
	})
}
