package rendering_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/value"
)

// BenchmarkSite renders a generated site of 10,000 documents and a real one of 380: read says how much
// of it reading the text takes, render what rendering takes when the documents are there, cold both
// together.
func BenchmarkSite(b *testing.B) {
	airskiff, err := os.ReadFile(filepath.Join(vectors, "real-sites", "airskiff", "documents.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	sites := []struct {
		name string
		text []byte
	}{{"10000", sitegen.Site(10000)}, {"real380", airskiff}}
	for _, site := range sites {
		parse := func(b *testing.B) []*value.Value {
			values, err := yaml.Parse("site.yaml", site.text, value.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			return values
		}
		read := func(b *testing.B, values []*value.Value) []*rendering.Document {
			documents, err := rendering.Read("site.yaml", values)
			if err != nil {
				b.Fatal(err)
			}
			return documents
		}
		render := func(b *testing.B, documents []*rendering.Document) *rendering.Rendering {
			rendered, err := rendering.Render(documents, rendering.Options{})
			if err != nil {
				b.Fatal(err)
			}
			return rendered
		}
		values := parse(b)
		documents := read(b, values)
		b.Run(site.name+"/yaml", func(b *testing.B) {
			for b.Loop() {
				parse(b)
			}
		})
		b.Run(site.name+"/read", func(b *testing.B) {
			for b.Loop() {
				read(b, values)
			}
		})
		b.Run(site.name+"/render", func(b *testing.B) {
			for b.Loop() {
				render(b, documents)
			}
		})
		b.Run(site.name+"/cold", func(b *testing.B) {
			for b.Loop() {
				render(b, read(b, parse(b)))
			}
		})
		b.Run(site.name+"/redact", func(b *testing.B) {
			for b.Loop() {
				for _, r := range render(b, documents).Documents {
					r.Redacted()
				}
			}
		})
	}
}
