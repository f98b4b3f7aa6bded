package rendering_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
)

// TestManyExplain has several ask at once where the values of a site come from: all hear the same, and nothing that they
// ask changes what is rendered.
func TestManyExplain(t *testing.T) {
	documents, err := rendering.Parse("", sitegen.Site(200))
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := func() (all string) {
		for _, d := range rendered.Documents {
			all += string(d.Data().JSON())
		}
		return all
	}
	before := data()
	var heard [4]string
	var wait sync.WaitGroup
	for i := range heard {
		wait.Go(func() {
			for _, d := range rendered.Documents {
				explained, err := rendered.Explain(d.ID, ".", false)
				if err != nil {
					t.Errorf("%s: %v", d.ID, err)
				}
				text, err := json.Marshal(explained)
				if err != nil {
					t.Error(err)
				}
				heard[i] += string(text)
			}
		})
	}
	wait.Wait()
	for i := range heard {
		if heard[i] != heard[0] || heard[i] == "" {
			t.Errorf("%d hears %d bytes, another %d", i, len(heard[i]), len(heard[0]))
		}
	}
	if data() != before {
		t.Error("the rendered data changed")
	}
}
