package dovetail_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// reflected has the members of a document as encoding/json reads and writes them by reflection.
type reflected struct {
	ID         dovetail.ID          `json:"id"`
	Kind       string               `json:"kind"`
	Key        json.RawMessage      `json:"key"`
	KeyID      json.RawMessage      `json:"keyId"`
	Data       json.RawMessage      `json:"data"`
	Content    []dovetail.File      `json:"content,omitempty"`
	Status     json.RawMessage      `json:"status,omitempty"`
	Inputs     []dovetail.ID        `json:"inputs,omitempty"`
	References []reflectedReference `json:"references,omitempty"`
	UID        string               `json:"uid"`
	Revision   uint64               `json:"revision"`
	Created    time.Time            `json:"created"`
	Updated    time.Time            `json:"updated"`
	Schema     string               `json:"schema,omitempty"`
}

type reflectedReference struct {
	Key     json.RawMessage `json:"key"`
	KeyID   json.RawMessage `json:"keyId"`
	ID      dovetail.ID     `json:"id"`
	Kind    string          `json:"kind"`
	Weak    bool            `json:"weak,omitempty"`
	Cascade bool            `json:"cascade,omitempty"`
}

// reflectedKey is the key as an object whose members have its order.
func reflectedKey(key dovetail.Key) json.RawMessage {
	members := make([]string, len(key))
	for i, e := range key {
		members[i] = string(quoted(e.Name)) + ":" + string(quoted(e.Value))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

func quoted(text string) json.RawMessage {
	quoted, _ := json.Marshal(text)
	return quoted
}

func reflectedOf(d *dovetail.Document) reflected {
	r := reflected{d.ID, d.Kind, reflectedKey(d.Key()), quoted(d.Key().KeyID()), d.Data, d.Content, d.Status, d.Inputs, nil,
		d.UID, d.Revision, d.Created, d.Updated, d.Schema}
	for _, ref := range d.References {
		r.References = append(r.References, reflectedReference{reflectedKey(ref.ID.Key()), quoted(ref.ID.Key().KeyID()), ref.ID, ref.Kind, ref.Weak, ref.Cascade})
	}
	return r
}

// sameWritten fails unless a document is written as by reflection.
func sameWritten(t *testing.T, d *dovetail.Document) (text []byte) {
	t.Helper()
	want, wanted := json.Marshal(reflectedOf(d))
	got, err := d.MarshalJSON()
	if string(got) != string(want) || (err == nil) != (wanted == nil) {
		t.Fatalf("written:\n%s, %v\nwant:\n%s, %v", got, err, want, wanted)
	}
	return got
}

// sameRead fails unless a text is read as by reflection.
func sameRead(t *testing.T, text []byte) {
	t.Helper()
	var want reflected
	wanted := json.Unmarshal(text, &want)
	var got dovetail.Document
	err := json.Unmarshal(text, &got)
	if (err == nil) != (wanted == nil) {
		t.Fatalf("%s\nis read with the error %v, want %v", text, err, wanted)
	}
	if err != nil {
		return
	}
	again := reflected{got.ID, got.Kind, want.Key, want.KeyID, got.Data, got.Content, got.Status, got.Inputs, nil,
		got.UID, got.Revision, got.Created, got.Updated, got.Schema}
	if got.References != nil {
		again.References = make([]reflectedReference, len(got.References))
	}
	for i, r := range got.References {
		again.References[i] = reflectedReference{want.References[i].Key, want.References[i].KeyID, r.ID, r.Kind, r.Weak, r.Cascade}
	}
	if !reflect.DeepEqual(again, want) {
		t.Fatalf("%s\nis read as\n%+v, want\n%+v", text, again, want)
	}
}

// someTexts and someJSON are what documents of TestDocumentsInJSON are made of.
var (
	someTexts = []string{"", "a", "app", "<script>", `say "hi" \`, "tab\tline\n\b\f\x00\x1f", "müller", "\u2028", "\xff\xfe", "\x7f", "日本", "&", "%2F", "project/p1/app/a b", strings.Repeat("long", 100)}
	someJSON  = []string{"{}", `{"a":1}`, `{"z":1,"a":[1.50,12345678901234567890,-0,1e5,-1.25E-3]}`, `{"html":"<a href='x'>&</a>"}`, "{\"line\":\"\u2028\u2029\u2027\"}",
		`{"text":"\u00e9\"\\\/\b\f\n\r\t"}`, `[[],{},[null,true,false,"x"]]`, ` { "spaced" : [ 1 , 2 ] } `, "null", "1", `"x"`, "{\"raw\":\"\xff\"}", "{\"del\":\"\x7f\"}",
		strings.Repeat("[", 1200) + strings.Repeat("]", 1200)}
	brokenJSON = []string{"", "{", `{"a"}`, `{"a":}`, `{a:1}`, "01", "-", "1.", "1e", "+1", "tru", `"\x"`, `"\u12g4"`, "\"\n\"", `"open`, "[1,]", `{"a":1,}`, "[1 2]", "{}{}", "nul", strings.Repeat("[", 20_000)}
)

// TestDocumentsInJSON writes and reads random documents with unusual contents as encoding/json does by reflection.
func TestDocumentsInJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func() string { return someTexts[random.IntN(len(someTexts))] }
	raw := func() json.RawMessage {
		if random.IntN(20) == 0 {
			return json.RawMessage(brokenJSON[random.IntN(len(brokenJSON))])
		}
		return json.RawMessage(someJSON[random.IntN(len(someJSON))])
	}
	at := func() time.Time {
		zone := time.UTC
		if random.IntN(4) == 0 {
			zone = time.FixedZone("", random.IntN(30*3600)-15*3600)
		}
		year := 2026
		if random.IntN(20) == 0 {
			year = []int{-1, 0, 9999, 10000}[random.IntN(4)]
		}
		return time.Date(year, 3, 1, 2, 3, 4, random.IntN(3)*500_000_001, zone)
	}
	id := func() dovetail.ID {
		id := dovetail.ID("")
		for range random.IntN(4) {
			id = id.Child(text(), text())
		}
		if random.IntN(10) == 0 {
			id += dovetail.ID("/" + text())
		}
		return id
	}
	for range 3000 {
		d := &dovetail.Document{ID: id(), Kind: text(), Data: raw(), UID: text(), Revision: random.Uint64() >> random.IntN(64), Created: at(), Updated: at()}
		if random.IntN(2) == 0 {
			d.Status, d.Schema = raw(), text()
		}
		for range random.IntN(3) {
			d.References = append(d.References, dovetail.Reference{ID: id(), Kind: text(), Weak: random.IntN(2) == 0, Cascade: random.IntN(2) == 0})
		}
		if random.IntN(5) == 0 {
			d.Inputs = []dovetail.ID{id(), id()}
			d.Content = []dovetail.File{{Name: text(), Filename: text(), Data: []byte(text())}, {}}
		}
		if text := sameWritten(t, d); text != nil {
			sameRead(t, text)
			sameRead(t, append(text[:len(text)-1], `,"etag":"\"u-1\""}`...))
		}
	}
	sameWritten(t, new(dovetail.Document))
}

// FuzzDocumentInJSON reads any text as encoding/json does by reflection, and writes documents with any data as it does.
func FuzzDocumentInJSON(f *testing.F) {
	whole := `{"id":"project/p1/app/a","kind":"app","key":{"project":"p1","app":"a"},"keyId":"{app,project,}","data":{"z":1},"content":[{"name":"file","data":"AP8="}],` +
		`"status":{"ready":true},"inputs":["a/b"],"references":[{"key":{"cluster":"c"},"keyId":"{cluster,}","id":"cluster/c","kind":"cluster","weak":true,"cascade":true}],` +
		`"uid":"u","revision":7,"created":"2030-01-02T03:04:05.006Z","updated":"2030-01-02T03:04:06+01:00","schema":"h","etag":"\"u-7\""}`
	f.Add(whole)
	for _, change := range [][2]string{{`"app"`, `null`}, {`{"z":1}`, `null`}, {`7`, `7.0`}, {`"references":[`, `"references":[],"x":[`}, {`"u"`, `"\u00fc"`}, {`,"uid"`, `, "uid"`},
		{`"kind"`, `"KIND"`}, {`"created":"`, `"created":"x`}, {`{"name":"file","data":"AP8="}`, ``}, {`"weak":true,`, `"weak":false,`}, {`"etag"`, `"id":"other","etag"`}} {
		f.Add(strings.Replace(whole, change[0], change[1], 1))
	}
	for _, text := range append(someJSON, brokenJSON...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sameRead(t, []byte(text))
		sameWritten(t, &dovetail.Document{ID: dovetail.ID(text), Kind: text, Data: json.RawMessage(text), UID: text})
	})
}

func ExampleDocument_AppendJSON() {
	d := &dovetail.Document{ID: "project/p1", Kind: "project", Data: json.RawMessage(`{"spec":{}}`), UID: "u", Revision: 1}
	line, err := d.AppendJSON(nil)
	fmt.Println(string(line), err)
	// Output:
	// {"id":"project/p1","kind":"project","key":{"project":"p1"},"keyId":"{project,}","data":{"spec":{}},"uid":"u","revision":1,"created":"0001-01-01T00:00:00Z","updated":"0001-01-01T00:00:00Z"} <nil>
}

func BenchmarkDocumentInJSON(b *testing.B) {
	d := &dovetail.Document{ID: "project/p1/app/nginx", Kind: "app", UID: "01J0000000000000000000000A", Revision: 3,
		Data:       json.RawMessage(`{"metadata":{"name":"nginx","description":"` + strings.Repeat("words ", 50) + `"},"spec":{"replicas":3}}`),
		References: []dovetail.Reference{{ID: "cluster/c1", Kind: "cluster"}, {ID: "profile/p", Kind: "profile"}},
		Created:    time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC), Updated: time.Date(2026, 3, 1, 12, 0, 0, 5, time.UTC)}
	b.Run("write", func(b *testing.B) {
		var text []byte
		for b.Loop() {
			text, _ = d.AppendJSON(text[:0])
		}
	})
	b.Run("read", func(b *testing.B) {
		text, _ := d.MarshalJSON()
		for b.Loop() {
			if err := new(dovetail.Document).UnmarshalJSON(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write by reflection", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(reflectedOf(d)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read by reflection", func(b *testing.B) {
		text, _ := d.MarshalJSON()
		for b.Loop() {
			if err := json.Unmarshal(text, new(reflected)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
