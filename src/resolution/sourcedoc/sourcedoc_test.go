package sourcedoc_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const catalog = `{"name":"cat","priority":3,"packages":[
	{"name":"a","defaultChannel":"main","versions":[{"version":"1.0.0+b/c","channels":["main"],"image":"i"},{"version":"0.9.0","channels":["main"]}]},
	{"name":"b"}]}`

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func Example() {
	document, err := value.ParseJSON([]byte(catalog), value.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	operations, err := sourcedoc.Operations(nil, "cat", document, []dovetail.ID{"source/cat/package/a", "source/cat/package/old"})
	if err != nil {
		fmt.Println(err)
	}
	for _, op := range operations {
		fmt.Println(op.Verb, op.ID)
		if op.Data != nil {
			fmt.Printf("  %s\n", op.Data.JSON())
		}
	}
	// Output:
	// put source/cat
	//   {"metadata":{"name":"cat"},"spec":{"priority":3}}
	// put source/cat/package/a
	//   {"metadata":{"name":"a"},"spec":{"defaultChannel":"main"}}
	// put source/cat/package/a/packageVersion/1.0.0+b%2Fc
	//   {"metadata":{"name":"1.0.0+b/c"},"spec":{"channels":["main"],"image":"i"}}
	// put source/cat/package/a/packageVersion/0.9.0
	//   {"metadata":{"name":"0.9.0"},"spec":{"channels":["main"]}}
	// put source/cat/package/b
	//   {"metadata":{"name":"b"},"spec":{}}
	// delete source/cat/package/old
}

func TestThereAndBack(t *testing.T) {
	operations, err := sourcedoc.Operations(nil, "cat", parse(t, catalog), nil)
	if err != nil {
		t.Fatal(err)
	}
	var documents []*dovetail.Document
	for _, op := range operations {
		key := op.ID.Key()
		documents = append(documents, &dovetail.Document{ID: op.ID, Kind: key[len(key)-1].Name, Data: op.Data.JSON()})
	}
	slices.SortFunc(documents, func(a, b *dovetail.Document) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	got, err := sourcedoc.Document(documents)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"cat","priority":3,"packages":[{"name":"a","defaultChannel":"main","versions":[` +
		`{"version":"0.9.0","channels":["main"]},{"version":"1.0.0+b/c","channels":["main"],"image":"i"}]},{"name":"b","versions":[]}]}`
	if string(got.JSON()) != want {
		t.Errorf("got\n%s\nwant\n%s", got.JSON(), want)
	}
	if _, err := sourcedoc.Document([]*dovetail.Document{{ID: "source/x", Kind: "source", Data: []byte("{")}}); dovetail.CodeOf(err) != dovetail.CodeCorrupt {
		t.Errorf("of damaged data: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, document string
		want           []string
	}{
		{name: "no object", document: `[]`, want: []string{"1:1: a source must be an object, not a list; send name, priority and packages"}},
		{name: "another name", document: `{"name":"x"}`, want: []string{`1:9 /name: the source is called "x", not "cat"; leave the name out`}},
		{name: "no lists", document: `{"packages":{}}`, want: []string{"1:13 /packages: packages must be a list, not a map; send a list"}},
		{name: "all at once", document: `{"packages":[1,{},{"name":""},{"name":"a","versions":[{"version":1},{"version":"1.0.0"},{"version":"1.0.0"}]},{"name":"a"}]}`, want: []string{
			"1:14 /packages/0: a package must be an object, not a number; send an object",
			"1:16 /packages/1: the name is missing; give it, as a text",
			"1:27 /packages/2/name: the name is empty",
			"1:55 /packages/3/versions/0: the version is missing; give it, as a text",
			`1:89 /packages/3/versions/2: duplicate packageVersion "1.0.0"; keep one of the two`,
			`1:111 /packages/4: duplicate package "a"; keep one of the two`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := sourcedoc.Operations(nil, "cat", parse(t, test.document), nil)
			e := dovetail.AsError(err)
			if e == nil {
				t.Fatal("accepted")
			}
			parts := e.Errors
			if parts == nil {
				parts = []*dovetail.Error{e}
			}
			var got []string
			for _, part := range parts {
				got = append(got, part.Error())
			}
			if e.Code != dovetail.CodeInvalid || !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	operations, err := sourcedoc.Operations(nil, "cat", parse(t, catalog), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(operations, func(op store.Operation) bool { return op.ID == "source/cat/package/a/packageVersion/0.9.0" })
	if at := operations[i].Position; at.Line != 2 || at.Path != "/packages/0/versions/1" {
		t.Errorf("it stands at %v", at)
	}
}

// FuzzOperations: whatever stands in a document, it is taken apart into writes of different documents below the
// source, or refused.
func FuzzOperations(f *testing.F) {
	for _, seed := range []string{catalog, `{}`, `[]`, `{"packages":[1]}`, `{"packages":[{"name":"a","versions":[{"version":".."}]}]}`, `{"name":1,"packages":null}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return
		}
		operations, err := sourcedoc.Operations(nil, "cat", document, nil)
		if err != nil {
			if dovetail.CodeOf(err) != dovetail.CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		seen := make(map[dovetail.ID]bool)
		for _, op := range operations {
			if id, err := dovetail.ParseID(string(op.ID)); err != nil || seen[id] || id != "source/cat" && !id.IsDescendantOf("source/cat") || op.Data == nil {
				t.Fatalf("%+v: %v", op, err)
			}
			seen[op.ID] = true
		}
	})
}

// TestRefresh leaves the document of a source that exists as it is, except a priority that is given.
func TestRefresh(t *testing.T) {
	const packages = `{"name":"cat","packages":[{"name":"b"}]}`
	stored := []dovetail.ID{"source/cat", "source/cat/package/a"}
	for _, c := range []struct {
		name     string
		priority *value.Value
		stored   []dovetail.ID
		want     []string
	}{
		{"new", nil, nil, []string{`put source/cat {"metadata":{"name":"cat"},"spec":{}}`, `put source/cat/package/b {"metadata":{"name":"b"},"spec":{}}`}},
		{"new, preferred", value.NewNumber(5), nil, []string{`put source/cat {"metadata":{"name":"cat"},"spec":{"priority":5}}`, `put source/cat/package/b {"metadata":{"name":"b"},"spec":{}}`}},
		{"there", nil, stored, []string{`put source/cat/package/b {"metadata":{"name":"b"},"spec":{}}`, `delete source/cat/package/a `}},
		{"there, preferred", value.NewNumber(5), stored, []string{`put source/cat/package/b {"metadata":{"name":"b"},"spec":{}}`, `delete source/cat/package/a `, `patch source/cat {"spec":{"priority":5}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			operations, err := sourcedoc.Refresh(nil, "cat", parse(t, packages), c.priority, c.stored)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, op := range operations {
				text := ""
				if op.Data != nil {
					text = string(op.Data.JSON())
				}
				got = append(got, fmt.Sprintf("%s %s %s", op.Verb, op.ID, text))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
	if _, err := sourcedoc.Refresh(nil, "dog", parse(t, packages), nil, stored); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("of another name: %v", err)
	}
}

// TestStop ends the work on a source of many parts when its client has gone, wherever that is noticed.
func TestStop(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, `,{"name":"p%d","versions":[{"version":"1.0.0"},{"version":"2.0.0"}]}`, i)
	}
	document := parse(t, `{"packages":[`+text.String()[1:]+`]}`)
	stored := make([]dovetail.ID, 1000)
	for i := range stored {
		stored[i] = dovetail.ID(fmt.Sprintf("source/cat/package/old%d", i))
	}
	gone := errors.New("the client has gone")
	asked := 0
	if _, err := sourcedoc.Operations(func() error { asked++; return nil }, "cat", document, stored); err != nil {
		t.Fatal(err)
	}
	if asked < 7 {
		t.Errorf("asked only %d times for 1900 parts", asked)
	}
	for at := 1; at <= asked; at++ {
		calls := 0
		stop := func() error {
			if calls++; calls == at {
				return gone
			}
			return nil
		}
		for name, split := range map[string]func() ([]store.Operation, error){
			"operations": func() ([]store.Operation, error) { return sourcedoc.Operations(stop, "cat", document, stored) },
			"refresh": func() ([]store.Operation, error) {
				return sourcedoc.Refresh(stop, "cat", document, nil, append(stored, "source/cat"))
			},
		} {
			calls = 0
			if operations, err := split(); !errors.Is(err, gone) || len(operations) > 0 || calls != at {
				t.Errorf("%s at %d: %d operations, asked %d times, %v", name, at, len(operations), calls, err)
			}
		}
	}
}
