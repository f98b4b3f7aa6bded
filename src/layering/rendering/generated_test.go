package rendering_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestGeneratedSites renders synthetic sites to what the older engine makes of them.
func TestGeneratedSites(t *testing.T) {
	for _, site := range layeringtest.GeneratedSites() {
		t.Run(fmt.Sprint(site.Documents), func(t *testing.T) {
			documents, err := rendering.Parse("site.yaml", sitegen.Site(site.Documents))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []rendering.Options{{}, {ArrayIndex: rendering.MergeElement, StrictParents: true}} {
				rendered, err := rendering.Render(documents, o)
				if err != nil {
					t.Fatal(err)
				}
				var all []*value.Value
				for _, r := range rendered.Documents {
					all = append(all, r.Whole(r.Data()))
				}
				n, sum, err := layeringtest.Digest(all)
				if err != nil || n != site.Rendered || sum != site.Digest {
					t.Errorf("%d rendered documents with digest %s: %v", n, sum, err)
				}
			}
		})
	}
}
