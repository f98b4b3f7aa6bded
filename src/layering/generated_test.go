package layering_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/layering/sitegen"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestGeneratedSites renders synthetic sites to what the older engine makes of them.
func TestGeneratedSites(t *testing.T) {
	tests := []struct {
		n, rendered int
		digest      string
	}{
		{n: 100, rendered: 98, digest: "3edfb41e0965a1829c692e4662227d336c4d0c50cd9838873652b3e9b4e64dba"},
		{n: 1000, rendered: 968, digest: "1f71f89a000c0c9901e6e9794872042d2a48de8ecc2032fc45d4b92b1891d089"},
		{n: 10000, rendered: 9668, digest: "3072b9b70f7b46b3ac84ef2df53f531f36d4336b2c187724107454889828f77d"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.n), func(t *testing.T) {
			documents, err := layering.Parse("site.yaml", sitegen.Site(test.n))
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []layering.Options{{}, {ArrayIndex: layering.MergeElement, StrictParents: true}} {
				rendering, err := layering.Render(documents, o)
				if err != nil {
					t.Fatal(err)
				}
				if n, sum := digest(t, rendering); n != test.rendered || sum != test.digest {
					t.Errorf("%d rendered documents with digest %s", n, sum)
				}
			}
		})
	}
}

// digest counts the rendered application documents and returns the digest that the vectors' README
// describes.
func digest(t *testing.T, rendering *layering.Rendering) (int, string) {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(rendering.Documents), func(r *layering.Rendered) bool { return r.Control })
	slices.SortFunc(all, func(a, b *layering.Rendered) int {
		return cmp.Or(strings.Compare(a.Schema, b.Schema), strings.Compare(a.Name, b.Name))
	})
	var lines [][]byte
	for _, r := range all {
		line, err := json.Marshal([]any{r.Schema, r.Name, value.ToAny(r.Data())}) // sorts the keys of maps
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	sum := sha256.Sum256(bytes.Join(lines, []byte("\n")))
	return len(lines), hex.EncodeToString(sum[:])
}
