package emcostore_test

import (
	"os"
	"testing"

	"github.com/dovetail-store/dovetail/src/embedded"
	"github.com/dovetail-store/dovetail/src/emcostore"
)

// TestUnknownFields stores a kind of a controller that EMCO does not come with: its references are found under the names of JSON, and
// Find gives it back under those of BSON.
func TestUnknownFields(t *testing.T) {
	dir := t.TempDir()
	const kinds = "resources:\n  - name: project\n  - name: robot\n    parent: project\n  - name: arm\n    parent: project\n    references:\n      - name: robot\n"
	if err := os.WriteFile(dir+"/kinds.yaml", []byte(kinds), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := embedded.Open(t.Context(), embedded.Options{SchemaFS: emcostore.Schema(os.DirFS(dir))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db := newStore(t, s.Engine(), s.Engine().Model())

	type armSpec struct {
		RobotName string `json:"robot"`
	}
	type arm struct {
		Metadata metadata `json:"metadata"`
		Spec     armSpec  `json:"spec"`
	}
	want := arm{metadata{Name: "left"}, armSpec{"r2"}}
	robot, left := map[string]string{"project": "p", "robot": "r2"}, map[string]string{"project": "p", "arm": "left"}
	for i, step := range []step{
		{call: "Insert", key: projectKey{"p"}, tag: "data", data: named("p")},
		{call: "Insert", key: left, tag: "data", data: want, err: emcostore.ErrMissing},
		{call: "Insert", key: robot, tag: "data", data: named("r2")},
		{call: "Insert", key: left, tag: "data", data: want},
		{call: "Find", key: left, tag: "data", want: []string{`"robotname":"r2"`}},
		{call: "Remove", key: robot, err: emcostore.ErrReferenced},
	} {
		step.run(t, db, i)
	}
	found, err := db.Find(t.Context(), resources, left, "data")
	if err != nil {
		t.Fatal(err)
	}
	var got arm
	if err := db.Unmarshal(found[0], &got); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}

	changed := map[string]any{"metadata": map[string]any{"name": "left", "description": "changed"}, "spec": map[string]any{"robot": "r2"}}
	if _, err := s.Apply(t.Context(), embedded.Put("project/p/arm/left", changed)); err != nil {
		t.Fatal(err)
	}
	for i, step := range []step{
		{call: "Find", key: left, tag: "data", want: []string{`"description":"changed"`}},
		{call: "Remove", key: left},
		{call: "Remove", key: robot},
		{call: "Remove", key: projectKey{"p"}},
	} {
		step.run(t, db, i)
	}
}
