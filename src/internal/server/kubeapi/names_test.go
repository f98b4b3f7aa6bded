package kubeapi

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// namesOfTest are those of testdata/names.yaml.
func namesOfTest(t *testing.T) Names {
	t.Helper()
	source, err := schema.ReadFile("testdata/names.yaml")
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile([]schema.Source{source})
	if err != nil {
		t.Fatal(err)
	}
	return NewNames(model)
}

// Types are found by all that kubectl calls them.
func TestFindType(t *testing.T) {
	t.Parallel()
	names := namesOfTest(t)
	for _, tt := range []struct {
		name, text, want string
		refused          string // the error, with what to do
	}{
		{name: "plural", text: "stores", want: "stores"},
		{name: "singular", text: "store", want: "stores"},
		{name: "kind", text: "ReleaseVersion", want: "releaseversions"},
		{name: "any case", text: "STORES", want: "stores"},
		{name: "group", text: "stores.depot.dovetail.dev", want: "stores"},
		{name: "version and group", text: "stores.v1.depot.dovetail.dev", want: "stores"},
		{name: "version without group", text: "stores.v1.", want: "stores"},
		{name: "beginning of a group", text: "stores.depot", want: "stores"},
		{name: "short name in a group", text: "release.depot", want: "releases"},
		{name: "short name in two groups", text: "release", refused: "several groups have the type release: write releases.depot.dovetail.dev or releaseversions.shop.dovetail.dev"},
		{name: "another group", text: "project.depot", refused: "the type project.depot is not served"},
		{name: "another version", text: "stores.v2.depot.dovetail.dev", refused: "the type stores.v2.depot.dovetail.dev is not served"},
		{name: "misspelt", text: "stroes", refused: "did you mean stores?"},
		{name: "unlike any", text: "pods", refused: "kubectl api-resources lists what is"},
		{name: "empty", refused: "kubectl api-resources lists what is"},
		{name: "namespace", text: "ns", refused: "a namespace is not one document"},
		{name: "definition", text: "crd", refused: "the definition of a resource is no document"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := names.Find(tt.text)
			if tt.refused != "" {
				e := dovetail.AsError(err)
				if e == nil || e.Code != dovetail.CodeInvalid || !strings.Contains(e.Message+": "+e.Remedy, tt.refused) {
					t.Errorf("%v, want %s", err, tt.refused)
				}
				return
			}
			if err != nil || found.Plural() != tt.want {
				t.Errorf("%v %v, want %s", found, err, tt.want)
			}
		})
	}
}

// The id of a document is that of its namespace and name, which are its place.
func TestNamesOfDocuments(t *testing.T) {
	t.Parallel()
	names := namesOfTest(t)
	for _, tt := range []struct {
		of, namespace, name string
		under, id           dovetail.ID
	}{
		{"projects", "", "p1", "", "project/p1"},
		{"stores", "p1", "a~2fb", "project/p1", "project/p1/store/a%2Fb"},
		{"releaseversions", "p1", "r:v1", "project/p1", "project/p1/release/r/releaseVersion/v1"},
	} {
		t.Run(tt.of, func(t *testing.T) {
			found, err := names.Find(tt.of)
			if err != nil {
				t.Fatal(err)
			}
			if found.Namespaced() != (tt.namespace != "") {
				t.Errorf("namespaced: %t", found.Namespaced())
			}
			if under, err := found.Under(tt.namespace); err != nil || under != tt.under {
				t.Errorf("%s %v, want %s", under, err, tt.under)
			}
			id, err := found.ID(tt.namespace, tt.name)
			if err != nil || id != tt.id {
				t.Errorf("%s %v, want %s", id, err, tt.id)
			}
			if namespace, name := found.Place(id); namespace != tt.namespace || name != tt.name {
				t.Errorf("%s %s", namespace, name)
			}
		})
	}
}
