package layering_test

import (
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/layeringtest"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestGeneratedSites renders synthetic sites to what the older engine makes of them.
func TestGeneratedSites(t *testing.T) {
	for _, site := range layeringtest.GeneratedSites() {
		t.Run(fmt.Sprint(site.Documents), func(t *testing.T) {
			documents, err := layering.Parse("site.yaml", sitegen.Site(site.Documents))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []layering.Options{{}, {ArrayIndex: layering.MergeElement, StrictParents: true}} {
				rendering, err := layering.Render(documents, o)
				if err != nil {
					t.Fatal(err)
				}
				var all []*value.Value
				for _, r := range rendering.Documents {
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
