package client_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestAgainstServer uses every method on a real server.
func TestAgainstServer(t *testing.T) {
	url, stop := startServer()
	defer stop()
	c, err := client.New(url, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	model, err := c.Model(ctx)
	ok(err)
	_, err = c.Apply(ctx, []store.Operation{put("project/p1", `{}`), put("project/p1/app/a", `{}`), put("project/p1/app/b", `{}`),
		put("controllerGroup/dtc/controller/c", `{"spec":{}}`)}, store.Options{})
	ok(err)

	controller, err := c.Get(ctx, "controllerGroup/dtc/controller/c")
	ok(err)
	if controller.Schema != model.Hash() {
		t.Errorf("written under %s, but the model is %s", controller.Schema, model.Hash())
	}
	if references, err := c.References(ctx, "project/p1/app/a"); err != nil || len(references) != 0 {
		t.Errorf("got %v, %v", references, err)
	}
	if ids, err := c.Referrers(ctx, "project/p1", "", 0); err != nil || len(ids) != 0 {
		t.Errorf("got %v, %v", ids, err)
	}
	var children []dovetail.ID
	for child, err := range c.Children(ctx, "project/p1") {
		ok(err)
		children = append(children, child.ID)
	}
	if len(children) != 2 || children[1] != "project/p1/app/b" {
		t.Errorf("got %v", children)
	}
	for _, test := range []struct {
		id    dovetail.ID
		count int
	}{{"project/p1", 2}, {"", 2}} {
		if tree, err := c.Tree(ctx, test.id, 1, 0); err != nil || tree.ID != test.id || len(tree.Children) != test.count {
			t.Errorf("%q: got %+v, %v", test.id, tree, err)
		}
	}

	var exported []*dovetail.Document
	for doc, err := range c.Export(ctx) {
		ok(err)
		exported = append(exported, doc)
	}
	if _, err := c.Import(ctx, exported, store.Options{}); dovetail.CodeOf(err) != dovetail.CodeExists {
		t.Errorf("got %v, want it to exist", err)
	}
	if result, err := c.Import(ctx, nil, store.Options{}); err != nil || len(result.Outcomes) != 0 {
		t.Errorf("an import of nothing: %+v, %v", result, err)
	}
	_, err = c.Delete(ctx, "project/p1", true)
	ok(err)
	if result, err := c.Import(ctx, exported[1:], store.Options{}); err != nil || len(result.Outcomes) != 3 {
		t.Errorf("got %+v, %v", result, err)
	}
	again, err := c.Get(ctx, exported[1].ID)
	ok(err)
	if again.ETag() != exported[1].ETag() {
		t.Errorf("imported as %s, but was %s", again.ETag(), exported[1].ETag())
	}

	next, err := schema.Compile([]schema.Source{{Name: "next.yaml", Data: []byte("resources: [{name: project}]")}})
	ok(err)
	if findings, total, err := c.Impact(ctx, next, 1); err != nil || len(findings) != 1 || total != 3 {
		t.Errorf("got %v, %d, %v", findings, total, err)
	}
	ok(c.Close())
}
