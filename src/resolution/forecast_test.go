package resolution_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
)

// TestForecast publishes another content of a source as a dry run, which names what would change, and then for real, which changes just that.
func TestForecast(t *testing.T) {
	s := newServer(t)
	source := func(packages string) string { return `{"packages":[` + packages + `]}` }
	version := func(number, more string) string {
		return fmt.Sprintf(`{"version":%q,"channels":["main"]%s}`, number, more)
	}
	pkg := func(name, versions string) string { return fmt.Sprintf(`{"name":%q,"versions":[%s]}`, name, versions) }
	s.must(200, "PUT", "/api/sources/cat", source(pkg("a", version("1.0.0", ""))+","+pkg("b", version("1.0.0", ""))+","+pkg("c", version("1.0.0", ""))))
	s.must(200, "PUT", "/api/sources/other", source(pkg("d", version("1.0.0", ""))))
	for name, constraint := range map[string]string{"changes": "a", "breaks": "b", "stays": "c", "repairs": "e", "elsewhere": "d", "hopeless": "f"} {
		s.must(201, "PUT", "/v2/active-resolutions/"+name, fmt.Sprintf(`{"spec":{"constraints":["required(\"%s\")"]}}`, constraint))
	}
	next := source(pkg("a", version("1.0.0", "")+","+version("2.0.0", `,"dependencies":[{"name":"g"}]`)) + "," + pkg("c", version("1.0.0", "")) + "," + pkg("e", version("3.0.0", "")) + "," + pkg("g", version("0.1.0", "")))
	var loaded struct{ Impact *api.SourceImpact }
	read := func(text string) {
		t.Helper()
		loaded.Impact = nil
		if err := json.Unmarshal([]byte(text), &loaded); err != nil {
			t.Fatal(err)
		}
	}
	read(s.must(200, "PUT", "/api/sources/cat?dryRun=true", next))
	got, err := json.Marshal(loaded.Impact)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"resolutions":[` +
		`{"resolution":"activeResolution/breaks","effect":"breaks","message":"[0] required(\"b\") cannot hold: no source has a package b, did you mean a?; without [0]: nothing is selected"},` +
		`{"resolution":"activeResolution/changes","effect":"changes","selections":[{"package":"cat:a","from":"1.0.0:main","to":"2.0.0:main"},{"package":"cat:g","from":null,"to":"0.1.0:main"}]},` +
		`{"resolution":"activeResolution/repairs","effect":"repairs","selections":[{"package":"cat:e","from":null,"to":"3.0.0:main"}]}],"total":3}`
	if string(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if read(s.must(200, "PUT", "/api/sources/cat", next)); loaded.Impact != nil {
		t.Error("what is done has an impact of a dry run")
	}
	if read(s.must(200, "PUT", "/api/sources/cat?dryRun=true", next)); loaded.Impact == nil || loaded.Impact.Total != 0 {
		t.Errorf("the same again: %v", loaded.Impact)
	}
}
