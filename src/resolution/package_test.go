package resolution_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shownPackage is what is read of a package.
type shownPackage struct {
	Source, Name, DefaultChannel string
	Deprecated                   bool
	Versions                     []struct {
		Version, Error string
		Channels       []string
		Withdrawn      bool
		Properties     []any
		Provides       []struct{ Kind string }
	}
	Upgrades     []struct{ From, To, By string }
	MoreUpgrades int
}

func TestPackage(t *testing.T) {
	s := newServer(t)
	read := func(path string) (p shownPackage) {
		t.Helper()
		if err := json.Unmarshal([]byte(s.must(200, "GET", path, "")), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	s.must(200, "PUT", "/api/sources/cat", `{"packages":[{"name":"p","defaultChannel":"main","deprecated":true,"versions":[
		{"version":"1.0.0","channels":["main"],"replaces":"0.9.0"},
		{"version":"10.0.0","channels":["main","fast"],"replaces":"2.0.0","skips":["1.5.0"],"skipRange":">=1.0.0 <2.0.0",
			"properties":[{"type":"olm.gvk","value":{"group":"g","version":"v1","kind":"Thing"}},{"type":"olm.bundle.object","value":"`+strings.Repeat("x", 10_000)+`"}]},
		{"version":"2.0.0","channels":["main"],"replaces":"1.0.0","withdrawn":true},
		{"version":"3.x","channels":["main"]}]}]}`)
	p := read("/api/sources/cat/packages/p")
	if p.Source != "cat" || p.Name != "p" || p.DefaultChannel != "main" || !p.Deprecated || p.MoreUpgrades != 0 {
		t.Errorf("the package is %+v", p)
	}
	var versions []string
	for _, v := range p.Versions {
		versions = append(versions, v.Version)
		if v.Properties != nil || (v.Error != "") != (v.Version == "3.x") || v.Withdrawn != (v.Version == "2.0.0") {
			t.Errorf("a version is %+v", v)
		}
	}
	if want := []string{"10.0.0", "2.0.0", "1.0.0", "3.x"}; !slices.Equal(versions, want) {
		t.Errorf("the versions are %v, want %v", versions, want)
	}
	if provides := p.Versions[0].Provides; len(provides) != 1 || provides[0].Kind != "Thing" {
		t.Errorf("it provides %v", provides)
	}
	if got, want := fmt.Sprint(p.Upgrades), "[{2.0.0 10.0.0 replaces} {1.0.0 10.0.0 skipRange} {1.5.0 10.0.0 skips} {1.0.0 2.0.0 replaces} {0.9.0 1.0.0 replaces}]"; got != want {
		t.Errorf("the upgrades are %s, want %s", got, want)
	}
	s.must(404, "GET", "/api/sources/cat/packages/absent", "")
	s.must(404, "GET", "/api/sources/absent/packages/p", "")

	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf(`{"version":"1.%d.0","channels":["main"],"skipRange":"<1.%d.0"}`, i, i))
	}
	s.must(200, "PUT", "/api/sources/many", `{"packages":[{"name":"p","versions":[`+strings.Join(many, ",")+`]}]}`)
	if p := read("/api/sources/many/packages/p"); len(p.Upgrades) != 10_000 || p.MoreUpgrades != 200*199/2-10_000 {
		t.Errorf("%d upgrades are listed and %d are not", len(p.Upgrades), p.MoreUpgrades)
	}
}
