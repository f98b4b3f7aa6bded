package manifest_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

func ExampleOf() {
	doc := &dovetail.Document{ID: "project/p1/app/nginx", Kind: "app", UID: "5dd1f0c2", Revision: 3, Data: []byte(`{"metadata":{"name":"nginx"},"spec":{"port":80}}`),
		Content: []dovetail.File{{Name: "file", Filename: "a.tgz", Data: []byte("x")}}, Status: []byte(`{"phase":"ready"}`)}
	m, err := manifest.Of(doc)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(yaml.Marshal(m)))
	// Output:
	// kind: app
	// key:
	//   project: p1
	//   app: nginx
	// ifMatch: 5dd1f0c2-3
	// metadata:
	//   name: nginx
	// spec:
	//   port: 80
	// content:
	//   - name: file
	//     filename: a.tgz
	//     data: eA==
	// status:
	//   phase: ready
}

// What Of writes, Operations reads back, through JSON and through YAML.
func TestRoundTrip(t *testing.T) {
	k := kinds(t)
	text := rapid.StringMatching(`[a-zA-Z0-9 äß:#"'\\/.-]{1,12}`).Filter(func(s string) bool { return dovetail.CheckValue(s) == "" })
	rapid.Check(t, func(t *rapid.T) {
		project, name := text.Draw(t, "project"), text.Draw(t, "name")
		id := dovetail.Key{{Name: "project", Value: project}, {Name: "bundle", Value: name}}.ID()
		data := value.NewMap()
		for _, member := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"metadata", "spec", "kind", "data", "status2", "schema", "uid", "op", "items", "ifMatch", "x"}),
			func(s string) string { return s }).Draw(t, "members") {
			data.Set(member, value.NewMap(value.Member{Name: "v", Value: value.NewString(rapid.String().Draw(t, "value"))}))
		}
		doc := &dovetail.Document{ID: id, Kind: "bundle", UID: rapid.StringMatching(`[a-z0-9-]{1,12}`).Draw(t, "uid"), Revision: rapid.Uint64Min(1).Draw(t, "revision"), Data: data.JSON(), Status: []byte(`{"phase":"x"}`)}
		for range rapid.IntRange(0, 2).Draw(t, "files") {
			doc.Content = append(doc.Content, dovetail.File{Name: "files", Filename: text.Draw(t, "filename"), Data: rapid.SliceOf(rapid.Byte()).Draw(t, "data")})
		}
		m, err := manifest.Of(doc)
		if err != nil {
			t.Fatal(err)
		}
		inYAML, err := yaml.Parse("", yaml.Marshal(m), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		inJSON, err := value.ParseJSON(m.JSON(), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, values := range [][]*value.Value{inYAML, {inJSON}} {
			ops, err := manifest.Operations(k, "", values)
			if err != nil || len(ops) != 1 {
				t.Fatalf("%d operations, %v", len(ops), err)
			}
			op := ops[0]
			op.Data.Delete("status")
			if len(op.IfMatch) != 1 || op.IfMatch[0] != doc.ETag() || op.ID != id || string(op.Data.JSON()) != string(doc.Data) || fmt.Sprint(op.Content) != fmt.Sprint(doc.Content) {
				t.Errorf("got %s %v %s %v", op.ID, op.IfMatch, op.Data.JSON(), op.Content)
			}
		}
	})
}

func FuzzOperations(f *testing.F) {
	for _, seed := range []string{
		"kind: project\nmetadata: {name: p1}\n", "- op: delete\n  id: project/p\n  cascade: true\n- {kind: label, key: {project: p}, label: x}\n",
		"items: [{id: project/a, ifMatch: ['*', a-1], data: {}, content: [{name: f, data: QQ==}]}]\n", "operations:\n- [[{op: status, id: project/a, status: {}}]]\n",
	} {
		f.Add(seed)
	}
	k := kinds(f)
	f.Fuzz(func(t *testing.T, text string) {
		values, err := yaml.Parse("f", []byte(text), value.Limits{Bytes: 1 << 16})
		if err != nil {
			return
		}
		ops, err := manifest.Operations(k, "f", values)
		if err != nil {
			for _, part := range append(dovetail.AsError(err).Errors, dovetail.AsError(err)) {
				if part.Code != dovetail.CodeInvalid || part.Message == "" || len(part.Errors) == 0 && (part.Index == 0 || part.Position.Line == 0) {
					t.Fatalf("a bare error: %+v", part)
				}
			}
			return
		}
		for _, op := range ops {
			if _, err := dovetail.ParseID(string(op.ID)); err != nil {
				t.Fatalf("%s: %v", op.ID, err)
			}
		}
	})
}
