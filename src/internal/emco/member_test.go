package emco

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// randomObject is an object with the fields, as EMCO stores it, in canonical Extended JSON.
func randomObject(r *rand.Rand, fields []field) *value.Value {
	stored := value.NewMap()
	for _, f := range fields {
		if f.pointer && r.IntN(3) == 0 {
			stored.Set(f.stored, value.NullValue())
			continue
		}
		stored.Set(f.stored, randomValue(r, f, f.types))
	}
	return stored
}

func randomValue(r *rand.Rand, f field, types []string) *value.Value {
	some := r.IntN(2) == 0
	number := strconv.Itoa(r.IntN(3))
	switch types[0] {
	case "object":
		return randomObject(r, f.fields)
	case "list", "map":
		if !some {
			return value.NullValue()
		}
		if types[0] == "list" {
			return value.NewList(randomValue(r, f, types[1:]), randomValue(r, f, types[1:]))
		}
		return value.NewMap(value.Member{Name: "aKey", Value: randomValue(r, f, types[1:])}, value.Member{Name: "another", Value: randomValue(r, f, types[1:])})
	case "string":
		return value.NewString([]string{"", "text"}[r.IntN(2)])
	case "bool":
		return value.NewBool(some)
	case "time":
		return wrapped("$date", wrapped("$numberLong", value.NewString("179530658241"+number)))
	case "bytes":
		return wrapped("$binary", value.NewMap(value.Member{Name: "base64", Value: value.NewString([]string{"", "aGVsbG8="}[r.IntN(2)])}, value.Member{Name: "subType", Value: value.NewString("00")}))
	case "any":
		return []*value.Value{value.NewString("text"), wrapped("$numberInt", value.NewString(number)), wrapped("$numberDouble", value.NewString("1.0")),
			wrapped("$numberLong", value.NewString("5000000000")), value.NewMap(value.Member{Name: "Deep", Value: value.NewBool(some)})}[r.IntN(5)]
	case "int64":
		return wrapped("$numberLong", value.NewString(number))
	case "float64":
		return wrapped("$numberDouble", value.NewString(number+".5"))
	}
	return wrapped("$numberInt", value.NewString(number))
}

// TestPartsGiveBack sets members of every kind, and gets them back as they were stored.
func TestPartsGiveBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, kind := range emcoModel(t).Kinds() {
		var id dovetail.ID
		for _, element := range kind.Elements {
			id = id.Child(element, "x")
		}
		for member, fields := range table()[kind.Entry] {
			of := id
			if member == "data (clm)" {
				of, member = "controllerGroup/cluster/controller/x", memberData
			}
			if !Holds(kind, member) || isFile(kind.Name, member) {
				continue
			}
			for range 50 {
				giveBack(t, kind, of, member, randomObject(r, fields))
			}
		}
	}
}

func giveBack(t *testing.T, kind *schema.Kind, id dovetail.ID, member string, stored *value.Value) {
	t.Helper()
	parts := &Parts{}
	if err := parts.Set(kind, id, member, stored); err != nil {
		t.Errorf("%s %s: %v", id, member, err)
		return
	}
	if got := parts.Get(kind, id, member); got == nil || !bytes.Equal(got.JSON(), stored.JSON()) {
		t.Errorf("%s %s:\ngot  %s\nwant %s", id, member, got.JSON(), stored.JSON())
	}
}

// TestPartsGiveBackFiles does so with files, also such as content cannot express.
func TestPartsGiveBackFiles(t *testing.T) {
	hello := base64.StdEncoding.EncodeToString([]byte("hello"))
	for _, test := range []struct{ name, kind, member, stored string }{
		{"a file", "app", "appcontent", `{"filecontent":"` + hello + `"}`},
		{"an empty file", "app", "appcontent", `{"filecontent":""}`},
		{"no file where there may be none", "genericResource", "resourcecontent", `{"content":""}`},
		{"files", "customization", "customizationcontent", `{"content":[{"filename":"a","content":"` + hello + `","keyname":"a"},{"filename":"b","content":"` + hello + `","keyname":"k"}]}`},
		{"an empty one of several files", "customization", "customizationcontent", `{"content":[{"filename":"a","content":"","keyname":"a"},{"filename":"b","content":"` + hello + `","keyname":"b"}]}`},
		{"a file without a key", "customization", "customizationcontent", `{"content":[{"filename":"a","content":"` + hello + `","keyname":""}]}`},
		{"no files", "customization", "customizationcontent", `{"content":null}`},
		{"what is not known", "app", "appcontent", `{"filecontent":"` + hello + `","more":"x"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			kind, _ := emcoModel(t).Kind(test.kind)
			giveBack(t, kind, dovetail.ID(test.kind+"/x"), test.member, parse(t, test.stored))
		})
	}
}
