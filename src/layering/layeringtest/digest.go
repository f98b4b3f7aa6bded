package layeringtest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// GeneratedSite is what the older engine makes of a site of package sitegen.
type GeneratedSite struct {
	Documents int    // that the site is generated with
	Rendered  int    // application documents
	Digest    string // of these, as Digest makes it
}

// GeneratedSites are all whose rendering is known.
func GeneratedSites() []GeneratedSite {
	return []GeneratedSite{
		{100, 98, "3edfb41e0965a1829c692e4662227d336c4d0c50cd9838873652b3e9b4e64dba"},
		{1000, 968, "1f71f89a000c0c9901e6e9794872042d2a48de8ecc2032fc45d4b92b1891d089"},
		{10000, 9668, "3072b9b70f7b46b3ac84ef2df53f531f36d4336b2c187724107454889828f77d"},
	}
}

// Applications are those of the documents that are no control documents.
func Applications(documents []*value.Value) []*value.Value {
	return slices.DeleteFunc(slices.Clone(documents), func(v *value.Value) bool {
		return strings.HasPrefix(v.At("metadata", "schema").Text, "metadata/Control/")
	})
}

// Digest counts the application documents of a rendering and names what they say, as the README of the vectors describes it: the
// SHA-256 of a line [schema, name, data] of JSON for each, by schema and name, with the keys of maps in order.
func Digest(documents []*value.Value) (rendered int, digest string, err error) {
	name := func(v *value.Value) string { return v.At("metadata", "name").Text }
	all := Applications(documents)
	slices.SortFunc(all, func(a, b *value.Value) int {
		return cmp.Or(strings.Compare(a.Get("schema").Text, b.Get("schema").Text), strings.Compare(name(a), name(b)))
	})
	var lines [][]byte
	for _, v := range all {
		line, err := json.Marshal([]any{v.Get("schema").Text, name(v), value.ToAny(v.Get("data"))}) // sorts the keys of maps
		if err != nil {
			return 0, "", err
		}
		lines = append(lines, line)
	}
	sum := sha256.Sum256(bytes.Join(lines, []byte("\n")))
	return len(lines), hex.EncodeToString(sum[:]), nil
}
