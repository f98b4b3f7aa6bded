package layering_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/store/bolt"
	"github.com/dovetail-store/dovetail/src/value"
)

// changedSite is a generated site of n documents of which some differ from those of round 0.
func changedSite(n, round, changed int) string {
	return strings.Replace(string(sitegen.Site(n)), "mtu: 9000", "mtu: "+strconv.Itoa(9000+round), changed)
}

// BenchmarkPutAndRender puts a site, generated ones and a real one, into an empty store and reads it rendered, over HTTP.
func BenchmarkPutAndRender(b *testing.B) {
	bodies := map[string]string{"airskiff": string(yaml.Marshal(readYAML(b, vectors+"/real-sites/airskiff/documents.yaml")...))}
	for _, n := range []int{100, 1_000, 10_000} {
		bodies[fmt.Sprintf("documents=%d", n)] = string(sitegen.Site(n))
	}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		body := bodies[name]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := newServer(b, apitest.OpenBolt(b))
				b.StartTimer()
				s.put(body)
				s.get("/api/v1.0/revisions/1/rendered-documents")
			}
		})
	}
}

// BenchmarkPutChange puts a site of 10,000 documents of which 10 changed.
func BenchmarkPutChange(b *testing.B) {
	s := newServer(b, apitest.OpenBolt(b))
	s.put(changedSite(10_000, 0, 10))
	round := 0
	for b.Loop() {
		round++
		s.put(changedSite(10_000, round, 10))
	}
}

// BenchmarkPutBeside puts one document that changes into a bucket of its own beside 10,000, and reads it rendered.
func BenchmarkPutBeside(b *testing.B) {
	s := newServer(b, apitest.OpenBolt(b))
	s.put(string(sitegen.Site(10_000)))
	round := 1
	for b.Loop() {
		round++
		s.must(200, "PUT", bucketB, kind("beside", "site", "data: {round: "+strconv.Itoa(round)+"}\n"))
		b.StopTimer()
		read := time.Now()
		s.get("/api/v1.0/revisions/" + strconv.Itoa(round) + "/rendered-documents?metadata.name=beside")
		b.ReportMetric(float64(time.Since(read).Milliseconds()), "ms/read")
		b.StartTimer()
	}
}

// BenchmarkSpace puts a site of 10,000 documents, and then 100 revisions of it that change 10 each. Its ratio is the
// space that all of them take to that of the first, of databases at rest.
func BenchmarkSpace(b *testing.B) {
	const documents, changed, rounds = 10_000, 10, 100
	for b.Loop() {
		folder := b.TempDir()
		site := parseSite(b, sitegen.Site(documents))
		var sizes []float64
		round := 0
		for _, until := range []int{0, rounds} {
			backend, err := bolt.Open(filepath.Join(folder, "test.db"), bolt.Options{})
			if err != nil {
				b.Fatal(err)
			}
			r := layering.New(newStoreOn(b, backend), layering.Options{})
			for ; round <= until; round++ {
				changeSite(b, site, round, changed)
				if _, err := r.Put(b.Context(), "a", site, layering.PutOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			if err := backend.Close(); err != nil {
				b.Fatal(err)
			}
			sizes = append(sizes, float64(space(b, folder)))
		}
		b.ReportMetric(sizes[0]/(1<<20), "MB/first")
		b.ReportMetric(sizes[1]/(1<<20), "MB/all")
		b.ReportMetric(sizes[1]/sizes[0], "ratio")
	}
}

func parseSite(b *testing.B, text []byte) []*rendering.Document {
	b.Helper()
	documents, err := rendering.Parse("", text)
	if err != nil {
		b.Fatal(err)
	}
	return documents
}

// changeSite replaces the first documents, which are of the lowest layer, with others.
func changeSite(b *testing.B, site []*rendering.Document, round, changed int) {
	b.Helper()
	for i := range changed {
		v := site[i].Value().Clone()
		v.At("data", "network").Set("mtu", value.NewNumber(int64(9000+round)))
		d, err := rendering.New("", v)
		if err != nil {
			b.Fatal(err)
		}
		site[i] = d
	}
}

// space is the size of all files of a folder.
func space(b *testing.B, folder string) (total int64) {
	b.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			b.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

// put puts a bucket and does not read the answer as values.
func (s *server) put(body string) {
	s.t.Helper()
	if a := s.send("PUT", bucketA, body); a.status != 200 {
		s.t.Fatalf("%d: %s", a.status, a.text)
	}
}

// get is put for reading.
func (s *server) get(path string) {
	s.t.Helper()
	if a := s.send("GET", path, ""); a.status != 200 {
		s.t.Fatalf("%d: %s", a.status, a.text)
	}
}
