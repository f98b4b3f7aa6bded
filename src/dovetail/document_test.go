package dovetail_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func TestDocumentInJSON(t *testing.T) {
	doc := &dovetail.Document{
		ID: "project/p1/app/a", Kind: "app", Data: json.RawMessage(`{"z":1,"a":[1.50,12345678901234567890]}`),
		Content:    []dovetail.File{{Name: "file", Filename: "x.tgz", Data: []byte{0, 255}}},
		Status:     json.RawMessage(`{"ready":true}`),
		References: []dovetail.Reference{{ID: "cluster/c", Kind: "cluster", Weak: true}},
		UID:        "u", Revision: 7, Created: time.Date(2030, 1, 2, 3, 4, 5, 6e6, time.UTC), Updated: time.Date(2030, 1, 2, 3, 4, 6, 0, time.UTC), Schema: "h",
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"project/p1/app/a","kind":"app","key":{"project":"p1","app":"a"},"keyId":"{app,project,}",` +
		`"data":{"z":1,"a":[1.50,12345678901234567890]},"content":[{"name":"file","filename":"x.tgz","data":"AP8="}],` +
		`"status":{"ready":true},"references":[{"key":{"cluster":"c"},"keyId":"{cluster,}","id":"cluster/c","kind":"cluster","weak":true}],` +
		`"uid":"u","revision":7,"created":"2030-01-02T03:04:05.006Z","updated":"2030-01-02T03:04:06Z","schema":"h"}`
	if string(text) != want {
		t.Errorf("written:\n%s\nwant:\n%s", text, want)
	}
	var again dovetail.Document
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, doc) {
		t.Errorf("read again: %+v: %v", again, err)
	}
}

func TestETag(t *testing.T) {
	tag := dovetail.ETag{UID: "a-b", Revision: 12}
	if tag.String() != `"a-b-12"` {
		t.Errorf("written as %s", tag)
	}
	for _, text := range []string{`"a-b-12"`, "a-b-12"} {
		if got, err := dovetail.ParseETag(text); err != nil || got != tag {
			t.Errorf("%s is read as %v: %v", text, got, err)
		}
	}
	for _, text := range []string{"", `""`, "x", "-1", "a-", "a-0", "a-01", "a-+1", "a-1x", `W/"a-1"`, `"a-1`} {
		if got, err := dovetail.ParseETag(text); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%s is read as %v: %v", text, got, err)
		}
	}
}

func FuzzParseETag(f *testing.F) {
	for _, seed := range []string{`"u-1"`, "a-b-12", "-", `"`, "a-99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tag, err := dovetail.ParseETag(text)
		if err == nil && tag.String() != text && tag.Version() != text {
			t.Fatalf("%q is read as %q", text, tag)
		}
	})
}
