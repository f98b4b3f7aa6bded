package emcostore_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// structTypes are types of Go as EMCO's services have them, by kind and tag.
type structTypes struct {
	table *value.Value
	kinds map[string]string // by keyId
}

func structs(t testing.TB) structTypes {
	t.Helper()
	text, err := os.ReadFile("testdata/fields.yaml")
	if err != nil {
		t.Fatal(err)
	}
	table, err := yaml.Parse("fields.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := schema.ReadDir("../../ref-schemas/examples/emco")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]string)
	for _, kind := range model.Kinds() {
		kinds[kind.KeyID] = kind.Entry
	}
	return structTypes{table[0].Get("kinds"), kinds}
}

// value decodes a stored tag into a struct as the services have it, or into a map where that is not known.
func (s structTypes) value(t testing.TB, doc stored, tag string) any {
	t.Helper()
	member := tag
	if tag == "data" && doc.key["controllerGroup"] == "cluster" {
		member = "data (clm)"
	}
	fields := s.table.At(s.kinds[dovetail.KeyIDOf(slices.Collect(maps.Keys(doc.key)))], member, "fields")
	if fields == nil {
		var into bson.M
		if err := doc.members[tag].Unmarshal(&into); err != nil {
			t.Fatal(err)
		}
		return into
	}
	into := reflect.New(structOf(fields))
	if err := doc.members[tag].Unmarshal(into.Interface()); err != nil {
		t.Fatal(err)
	}
	return into.Elem().Interface()
}

// structOf makes the type of a struct: a field is called in Go so that BSON lowers it to the stored name.
func structOf(fields *value.Value) reflect.Type {
	var all []reflect.StructField
	for _, f := range fields.Items {
		stored, _ := f.Get("stored").Str()
		name, _ := f.Get("json").Str()
		text, _ := f.Get("type").Str()
		if v := f.Get("omitempty"); v != nil && v.Text == "true" {
			name += ",omitempty"
		}
		is := typeOf(f, strings.Fields(text))
		if v := f.Get("pointer"); v != nil && v.Text == "true" {
			is = reflect.PointerTo(is)
		}
		all = append(all, reflect.StructField{Name: strings.ToUpper(stored[:1]) + stored[1:], Type: is, Tag: reflect.StructTag(fmt.Sprintf("json:%q", name))})
	}
	return reflect.StructOf(all)
}

func typeOf(f *value.Value, words []string) reflect.Type {
	switch words[0] {
	case "object":
		return structOf(f.Get("fields"))
	case "list":
		return reflect.SliceOf(typeOf(f, words[2:]))
	case "map":
		return reflect.MapOf(reflect.TypeFor[string](), typeOf(f, words[2:]))
	}
	return basics[words[0]]
}

// basics are the types of Go of the words in fields.yaml.
var basics = map[string]reflect.Type{
	"string": reflect.TypeFor[string](), "int": reflect.TypeFor[int](), "int32": reflect.TypeFor[int32](), "int64": reflect.TypeFor[int64](),
	"float64": reflect.TypeFor[float64](), "bool": reflect.TypeFor[bool](), "time": reflect.TypeFor[time.Time](), "bytes": reflect.TypeFor[[]byte](),
	"any": reflect.TypeFor[any](),
}
