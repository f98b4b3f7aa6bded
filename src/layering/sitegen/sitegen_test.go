package sitegen_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/layering/sitegen"
)

func TestSite(t *testing.T) {
	tests := []struct {
		name   string
		n      int
		bytes  int
		digest string
	}{
		{name: "100", n: 100, bytes: 63007, digest: "bcb10140bb9fb857989571f2e170c6a9a28eead1ee1f78e7311f8417065205dd"},
		{name: "1000", n: 1000, bytes: 617155, digest: "0979cc547fa281c1ecbac110abbcd5c252fb406dcf4d499175544c972fbc6f09"},
		{name: "10000", n: 10000, bytes: 6157666, digest: "d91a67d38c6ae44d051b9c5050cfc50778fc90cb0a381e9814abc0d263051a1b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			site := sitegen.Site(test.n)
			sum := sha256.Sum256(site)
			if len(site) != test.bytes || hex.EncodeToString(sum[:]) != test.digest {
				t.Errorf("%d bytes with digest %x", len(site), sum)
			}
		})
	}
}

func ExampleSite() {
	site := sitegen.Site(sitegen.Least)
	fmt.Printf("%s", site[:69])
	// Output:
	// ---
	// schema: dovetail/Host/v1
	// metadata:
	//   schema: metadata/Document/v1
}
