package mongo

import (
	"bytes"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
	"github.com/dovetail-store/dovetail/src/store/storetest"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestBSONForPeople tells which JSON is its BSON alone, and how the BSON reads otherwise.
func TestBSONForPeople(t *testing.T) {
	cases := []struct {
		name  string
		text  string
		exact bool
		bson  string // as relaxed Extended JSON; "" if there is none
	}{
		{"all types", `{"a":"x","b":true,"c":null,"d":[1,[]],"e":{}}`, true, `{"v": {"a":"x","b":true,"c":null,"d":[1,[]],"e":{}}}`},
		{"integers", `[0,-1,2147483648,9223372036854775807]`, true, `{"v": [0,-1,2147483648,9223372036854775807]}`},
		{"decimals", `[0.5,1.0,-3.25,100000.0]`, true, `{"v": [0.5,1.0,-3.25,100000.0]}`},
		{"other spellings of numbers", `[1.50,1e3,-0]`, false, `{"v": [1.5,1000.0,0]}`},
		{"large numbers", `18446744073709551616`, false, `{"v": 1.8446744073709552E+19}`},
		{"names that servers refuse", `{"a.b":1,"$set":2,"":3}`, false, `{"v": {"a．b":1,"＄set":2,"∅":3}}`},
		{"names that look like those", `{"a．b":1,"＄set":2,"∅":3}`, true, `{"v": {"a．b":1,"＄set":2,"∅":3}}`},
		{"white space", `{"a": 1}`, false, `{"v": {"a":1}}`},
		{"escapes that need not be", `"\u0041\/"`, false, `{"v": "A/"}`},
		{"text", `"ä€😀\u0000\n\\"`, true, `{"v": "ä€😀\u0000\n\\"}`},
		{"one name twice", `{"a":1,"a":2}`, false, ``},
		{"no JSON", `{"a"`, false, ``},
		{"too deep", strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), false, ``},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v, exact := toBSON([]byte(c.text))
			if exact != c.exact || v.IsZero() != (c.bson == "") {
				t.Fatalf("exact is %v; there is BSON: %v", exact, !v.IsZero())
			}
			if v.IsZero() {
				return
			}
			got, err := bson.MarshalExtJSON(bson.D{{Key: "v", Value: v}}, false, false)
			must(t, err)
			if want := strings.Replace(c.bson, `"v": `, `"v":`, 1); string(got) != want {
				t.Errorf("BSON is %s, want %s", got, want)
			}
		})
	}
}

// roundTrip stores a document and reads it again, without a server.
func roundTrip(t interface{ Fatalf(string, ...any) }, d *dovetail.Document) *dovetail.Document {
	strong, weak := protocol.Links(d.References)
	raw, err := encodeRecord(&protocol.Record{ID: d.ID, Doc: d, Strong: strong, Weak: weak})
	if err != nil {
		t.Fatalf("encoding: %v", err)
	}
	r, err := decodeRecord(raw)
	if err != nil {
		t.Fatalf("decoding: %v", err)
	}
	return r.Doc
}

func FuzzExactJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,2.5,null,{"b":""}]}`, `[1e400,-0,0.10]`, `{"a.b":{"$c":"\u0000"}}`, `"\ud800"`, "\xff", `1`, ``, `{"a":1,"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := doc("p/1", 1)
		d.Data, d.Status = text, text
		got := roundTrip(t, d)
		if string(got.Data) != string(text) || string(got.Status) != string(text) {
			t.Errorf("%q comes back as %q, and as status as %q", text, got.Data, got.Status)
		}
	})
}

// FuzzTranscode compares the BSON of texts that are transcoded at once with that which is made by way of a tree.
func FuzzTranscode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2,2.5,null,true,{"b":"x"}],"c":{},"d":[]}`, `{"ü":"日本"}`, `{"a":1,"a":2}`, `{"a.b":1}`, `{"":1}`, `[-0,00,1e5,1.50,1.0,9223372036854775807,9223372036854775808]`,
		`{"a" :1}`, `"\n"`, "\"\x7f\"", "\"\xff\"", `[1,]`, `{"a":1,}`, `[[[[1]]]]`, `nullx`, `1 `, `-`, `.5`, `+1`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := transcode(text)
		if !ok {
			return
		}
		want, exact := toBSONAround(text)
		if !exact || got.Type != want.Type || !bytes.Equal(got.Value, want.Value) {
			t.Errorf("%q is transcoded to %v %x, and is %v %x, exactly %t", text, got.Type, got.Value, want.Type, want.Value, exact)
		}
	})
}

// TestTranscode says which texts take the short way: those of documents as the store makes them do.
func TestTranscode(t *testing.T) {
	deep := strings.Repeat("[", maxDepth)
	tests := []struct {
		name, text string
		want       bool
	}{
		{name: "document", text: string(storetest.Creation(1).Puts[0].Data), want: true},
		{name: "each type", text: `{"a":[1,-2,2.5,null,true,false,{"b":"x"}],"c":{},"d":[],"e":9223372036854775807}`, want: true},
		{name: "other scripts", text: `{"имя":"日本"}`, want: true},
		{name: "the same name in other objects", text: `{"a":{"a":[{"a":1},{"a":1}]}}`, want: true},
		{name: "the same name twice", text: `{"a":1,"b":2,"a":1}`},
		{name: "a name that queries take for something else", text: `{"a.b":1}`},
		{name: "an escape", text: `"a\"b"`},
		{name: "a space", text: `{"a": 1}`},
		{name: "a number in another form", text: `1.50`},
		{name: "an exponent", text: `1e5`},
		{name: "too deep", text: deep + "1" + strings.Repeat("]", maxDepth)},
		{name: "no end", text: `{"a":1`},
		{name: "more after the end", text: `1,`},
		{name: "nothing", text: ``},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, got := transcode([]byte(test.text)); got != test.want {
				t.Errorf("transcoded: %t, want %t", got, test.want)
			}
		})
	}
}

// TestExactDocuments stores random documents of valid JSON and compares what comes back.
func TestExactDocuments(t *testing.T) {
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", ".", "$x", "a.b", "_id", "data", "uid"}))
	number := rapid.OneOf(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`), rapid.SampledFrom([]string{"-0", "1.0"}))
	var draw func(t *rapid.T, depth int) *value.Value
	draw = func(t *rapid.T, depth int) *value.Value {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return value.NullValue()
		case 1:
			return value.NewBool(rapid.Bool().Draw(t, "bool"))
		case 2:
			return &value.Value{Kind: value.Number, Text: number.Draw(t, "number")}
		case 3:
			return value.NewString(rapid.String().Draw(t, "string"))
		case 4:
			v := value.NewList()
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				v.Items = append(v.Items, draw(t, depth-1))
			}
			return v
		}
		v := value.NewMap()
		for _, n := range rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "names") {
			v.Members = append(v.Members, value.Member{Name: n, Value: draw(t, depth-1)})
		}
		return v
	}
	rapid.Check(t, func(t *rapid.T) {
		d := doc("p/1", 1)
		d.Data = draw(t, 5).JSON()
		if got := roundTrip(t, d); string(got.Data) != string(d.Data) {
			t.Fatalf("%s comes back as %s", d.Data, got.Data)
		}
	})
}

// TestDamagedDocuments reads what no Dovetail wrote.
func TestDamagedDocuments(t *testing.T) {
	for name, damage := range map[string]bson.D{
		"uid":       {{Key: fieldID, Value: "p/1"}, {Key: fieldUID, Value: 5}},
		"refs":      {{Key: fieldID, Value: "p/1"}, {Key: fieldRefs, Value: "p/2"}},
		"mark":      {{Key: fieldID, Value: "p/1"}, {Key: fieldIntent, Value: bson.D{{Key: "txn", Value: 1}}}},
		"changed":   {{Key: fieldID, Value: "p/1"}, {Key: fieldChanged, Value: "now"}},
		"data":      {{Key: fieldID, Value: "p/1"}, {Key: fieldUID, Value: "u"}, {Key: fieldData, Value: bson.NewObjectID()}},
		"object id": {{Key: fieldID, Value: bson.NewObjectID()}},
	} {
		raw, err := bson.Marshal(damage)
		must(t, err)
		if _, err := decodeRecord(raw); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
			t.Errorf("%s: %v, want code corrupt", name, err)
		}
	}
}
