package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

const managedByA = `[{"manager":"a","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:x":{},"f:y":{}}}}]`

// TestManagedFields: who owns which fields follows every way in which data change, and no writer of statuses takes it away.
func TestManagedFields(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		op   store.Operation
		has  []string
		not  []string
	}{
		{name: "a put takes what it changes", op: store.Operation{Verb: store.Put, Data: parse(t, `{"spec":{"x":1,"y":2}}`)},
			has: []string{`"manager":"a","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:x":{}}}`, `"manager":"dovetail","operation":"Update"`, `{"f:spec":{"f:y":{}}}`}},
		{name: "a patch, too", op: store.Operation{Verb: store.Patch, Data: parse(t, `{"spec":{"x":null}}`), FieldManager: "me"}, has: []string{`{"f:spec":{"f:y":{}}}`}, not: []string{"f:x", `"me"`}},
		{name: "nothing changes", op: store.Operation{Verb: store.Put, Data: parse(t, `{"spec":{"x":1,"y":1}}`)}, has: []string{managedByA}},
		{name: "given ones", op: store.Operation{Verb: store.Put, Data: parse(t, `{"spec":{"x":1,"y":1}}`), FieldManagers: parse(t, strings.ReplaceAll(managedByA, `"a"`, `"b"`))}, has: []string{`"manager":"b"`}, not: []string{`"manager":"a"`}},
		{name: "none", op: store.Operation{Verb: store.Put, Data: parse(t, `{"spec":{"x":1,"y":1}}`), FieldManagers: parse(t, `null`)}, not: []string{"managedFields"}},
		{name: "a status", op: store.Operation{Verb: store.PutStatus, Data: parse(t, `{"phase":"ready","managedFields":[]}`)}, has: []string{`"phase":"ready"`, managedByA}},
		{name: "an empty status", op: store.Operation{Verb: store.PutStatus, Data: parse(t, `{}`)}, has: []string{managedByA}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "resources:\n  - name: app\n")
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "app/web", Data: parse(t, `{"spec":{"x":1,"y":1}}`), FieldManagers: parse(t, managedByA)}}, store.Options{}); err != nil {
				t.Fatal(err)
			}
			tt.op.ID = "app/web"
			if _, err := s.Apply(t.Context(), []store.Operation{tt.op}, store.Options{}); err != nil {
				t.Fatal(err)
			}
			doc := get(t, s, "app/web")
			for _, want := range tt.has {
				if !strings.Contains(string(doc.Status), want) {
					t.Errorf("%s lacks %s", doc.Status, want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(string(doc.Status), not) {
					t.Errorf("%s has %s", doc.Status, not)
				}
			}
		})
	}
}

// TestManagedFieldsAreBounded: more managers than a document may have are refused, and nothing is stored.
func TestManagedFieldsAreBounded(t *testing.T) {
	t.Parallel()
	s := open(t, "resources:\n  - name: app\n")
	apply(t, s, `create app/web {"spec":{"x":1}}`)
	one := managedByA[1 : len(managedByA)-1]
	many := "[" + strings.Repeat(one+",", 1<<20/len(one)) + one + "]"
	_, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: "app/web", Data: parse(t, `{"spec":{"x":1}}`), FieldManagers: parse(t, many)}}, store.Options{})
	if dovetail.CodeOf(err) != dovetail.CodeTooLarge || !strings.Contains(err.Error(), "they may take 1048576") {
		t.Errorf("%v", err)
	}
	if doc, err := s.Get(t.Context(), "app/web"); err != nil || len(doc.Status) > 0 {
		t.Errorf("%s %v", doc.Status, err)
	}
}

// TestMergeOfManagedFields: that main and a change set changed other fields of a document with field managers is no conflict, and what is
// merged are fields of the merge.
func TestMergeOfManagedFields(t *testing.T) {
	t.Parallel()
	s := open(t, "resources:\n  - name: app\n")
	if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "app/web", Data: parse(t, `{"spec":{"x":1,"y":1}}`), FieldManagers: parse(t, managedByA)}}, store.Options{}); err != nil {
		t.Fatal(err)
	}
	staged := staging{}
	apply(t, overlayOf(t, s, staged), `patch app/web {"spec":{"x":2}}`)
	apply(t, s, `patch app/web {"spec":{"z":3}}`)
	if !merge(t, s, staged) {
		t.Fatal("not merged")
	}
	doc := get(t, s, "app/web")
	if got, want := string(doc.Data), `{"spec":{"x":2,"y":1,"z":3}}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, want := range []string{`"manager":"a","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:y":{}}}`, `{"f:spec":{"f:x":{},"f:z":{}}}`} {
		if !strings.Contains(string(doc.Status), want) {
			t.Errorf("%s lacks %s", doc.Status, want)
		}
	}
}

// budget is memory of which there is so much.
type budget int64

// Hold implements store.Memory.
func (b *budget) Hold(bytes int64) error {
	if *b -= budget(bytes); *b < 0 {
		return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: "there is not so much memory", Remedy: "ask for less"}
	}
	return nil
}

// TestManagedFieldsHoldMemory: whoever changes an object of many fields has what its field managers take in memory counted.
func TestManagedFieldsHoldMemory(t *testing.T) {
	t.Parallel()
	for _, verb := range []store.Verb{store.Put, store.Patch, store.ApplyFields} {
		t.Run(string(verb), func(t *testing.T) {
			t.Parallel()
			s := open(t, "resources:\n  - name: app\n")
			managers := strings.Replace(managedByA, `"f:x":{}`, strings.Repeat(`"f:x":{},`, 1000)+`"f:x":{}`, 1)
			for i := range 1000 {
				managers = strings.Replace(managers, `"f:x":{},`, fmt.Sprintf(`"f:x%d":{},`, i), 1)
			}
			if _, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Create, ID: "app/web", Data: parse(t, `{"spec":{"x":1,"y":1}}`), FieldManagers: parse(t, managers)}}, store.Options{}); err != nil {
				t.Fatal(err)
			}
			op := store.Operation{Verb: verb, ID: "app/web", Data: parse(t, `{"spec":{"x":1,"y":2}}`), FieldManager: "a"}
			for memory, want := range map[budget]dovetail.Code{100_000: dovetail.CodeTooLarge, 1 << 20: ""} {
				_, err := s.Apply(store.WithMemory(t.Context(), &memory), []store.Operation{op}, store.Options{DryRun: true})
				if dovetail.CodeOf(err) != want {
					t.Errorf("with so much memory left: %d, got %v, want %q", memory, err, want)
				}
			}
		})
	}
}
