package mongo_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	driver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/apitest"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	boxes = "resources:\n  - name: box\n  - name: item\n    parent: box\n    references:\n      - name: box\n"
	// items is how many a list has, and itemText is one of them.
	items    = 1000
	itemText = `{"metadata":{"name":"item-%d","description":%q},"spec":{"box":"1","replicas":3,"image":"registry.example/app:%d","ports":[80,443]}}`
)

// BenchmarkList reads a list of 1,000 documents in turns: in process, over HTTP, and by a find of a client of the database that decodes
// nothing. It reports the median times, and the rates of Dovetail as multiples of the client's.
func BenchmarkList(b *testing.B) {
	uri, collection := fresh(b)
	backend, err := mongo.Open(b.Context(), uri, mongo.Options{})
	must(b, err)
	model, err := schema.Compile([]schema.Source{{Name: "schema.yaml", Data: []byte(boxes)}})
	must(b, err)
	s, err := store.Open(b.Context(), backend, model, store.Config{})
	must(b, err)
	b.Cleanup(func() { must(b, backend.Close()) })
	server := apitest.Serve(b, s, httpapi.Options{})
	operations := []store.Operation{{Verb: store.Create, ID: "box/1", Data: value.NewMap()}}
	for i := range items {
		data, err := value.ParseJSON(fmt.Appendf(nil, itemText, i, strings.Repeat("words ", 50), i), value.Limits{})
		must(b, err)
		operations = append(operations, store.Operation{Verb: store.Create, ID: dovetail.ID(fmt.Sprintf("box/1/item/item-%d", i)), Data: data})
	}
	_, err = s.Apply(b.Context(), operations, store.Options{})
	must(b, err)
	ways := []struct {
		name string
		list func() (int, error)
	}{
		{"raw", func() (int, error) {
			cursor, err := collection.Find(b.Context(), bson.D{{Key: "kind", Value: "item"}}, options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
			if err != nil {
				return 0, err
			}
			var all []bson.Raw
			err = cursor.All(b.Context(), &all)
			return len(all), err
		}},
		{"store", func() (int, error) {
			page, err := s.List(b.Context(), store.ListQuery{Kind: "item"})
			if err != nil {
				return 0, err
			}
			return len(page.Documents), nil
		}},
		{"http", func() (int, error) {
			a := server.Send("GET", "/v2/boxes/1/items", "")
			return strings.Count(a.Text, `"registry.example/`), nil
		}},
	}
	took := make([][]time.Duration, len(ways))
	for round := 0; b.Loop(); round++ {
		for n := range ways {
			i := (n + round) % len(ways) // each after each other one
			way := ways[i]
			began := time.Now()
			found, err := way.list()
			took[i] = append(took[i], time.Since(began))
			if err != nil || found != items {
				b.Fatalf("%s: %d documents, %v", way.name, found, err)
			}
		}
	}
	median := func(i int) time.Duration {
		slices.Sort(took[i])
		return took[i][len(took[i])/2]
	}
	for i, way := range ways {
		b.ReportMetric(float64(median(i).Microseconds())/1000, "ms/"+way.name)
		if i > 0 {
			b.ReportMetric(float64(median(0))/float64(median(i)), way.name+"-of-raw")
		}
	}
	b.ReportMetric(0, "ns/op")
}

// fresh names a database that is dropped afterwards, and the collection of its documents.
func fresh(b *testing.B) (string, *driver.Collection) {
	apitest.SkipWithoutMongo(b)
	uri, err := url.Parse(os.Getenv(apitest.MongoVariable))
	must(b, err)
	name := fmt.Sprintf("dovetail_test_list_%d", time.Now().UnixNano())
	uri.Path = "/" + name
	client, err := driver.Connect(options.Client().ApplyURI(uri.String()))
	must(b, err)
	b.Cleanup(func() {
		must(b, client.Database(name).Drop(context.Background()))
		must(b, client.Disconnect(context.Background()))
	})
	return uri.String(), client.Database(name).Collection("documents")
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
