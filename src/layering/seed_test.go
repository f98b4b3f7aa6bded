package layering_test

import (
	"bytes"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// seed is the worked example of the source document: a child layers on the region, and, when that is gone, on the
// global document. Its documents have no storage policy.
const seed = `---
schema: deckhand/LayeringPolicy/v1
metadata:
  schema: metadata/Control/v1
  name: layering-policy
data:
  layerOrder:
    - global
    - region
    - site
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: global-1234
  labels:
    key1: value1
  layeringDefinition:
    abstract: true
    layer: global
data:
  a:
    x: 1
    y: 2
`

const seedRegion = `---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: region-1234
  labels:
    key1: value1
  layeringDefinition:
    abstract: true
    layer: region
    parentSelector:
      key1: value1
    actions:
      - method: replace
        path: .a
data:
  a:
    z: 3
`

const seedSite = `---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: site-1234
  layeringDefinition:
    layer: site
    parentSelector:
      key1: value1
    actions:
      - method: merge
        path: .
data:
  b: 4
`

// What the source document prints.
const (
	withRegion = `---
schema: example/Kind/v1
metadata:
  name: site-1234
data:
  a:
    z: 3
  b: 4
`
	withoutRegion = `---
schema: example/Kind/v1
metadata:
  name: site-1234
data:
  a:
    x: 1
    y: 2
  b: 4
`
)

func TestSeedExample(t *testing.T) {
	mongotest.Each(t, func(t *testing.T, open func(testing.TB) store.Backend) {
		s := newServer(t, open(t))
		s.must(200, "PUT", bucketA, seed+seedRegion+seedSite)
		want := func(path, printed string) {
			t.Helper()
			documents := layeringtest.Applications(s.must(200, "GET", path, "").documents)
			if len(documents) != 1 {
				t.Fatalf("%d documents", len(documents))
			}
			d := documents[0]
			got := value.NewMap(value.Member{Name: "schema", Value: d.Get("schema")},
				value.Member{Name: "metadata", Value: value.NewMap(value.Member{Name: "name", Value: d.At("metadata", "name")})},
				value.Member{Name: "data", Value: d.Get("data")})
			read, err := yaml.Parse("", []byte(printed), value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.JSON(), read[0].JSON()) { // in this order, too
				t.Errorf("rendered:\n%swant\n%s", yaml.Marshal(got), printed)
			}
		}
		want("/api/v1.0/revisions/1/rendered-documents", withRegion)
		s.must(200, "PUT", bucketA, seed+seedSite)
		want("/api/v1.0/revisions/2/rendered-documents", withoutRegion)
		want("/api/v1.0/revisions/1/rendered-documents", withRegion)
	})
}
