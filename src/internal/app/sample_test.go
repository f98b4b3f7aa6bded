package app

import (
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo/gittest"
	"github.com/dovetail-store/dovetail/src/value"
)

// sampleRepository is a whole instance repository, in which expected.yaml lists the content.
const sampleRepository = "../git/instancerepo/testdata/sample"

// TestSampleRepository asks a server that imported the sample, and one that it is attached to, for what the sample's
// expected.yaml lists.
func TestSampleRepository(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(sampleRepository + "/expected.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse("expected.yaml", data, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	expected := documents[0]
	for _, way := range []string{"imported", "attached"} {
		for _, database := range []string{"bolt", "mongo"} {
			t.Run(way+", "+database, func(t *testing.T) {
				given := map[string]string{}
				if database == "mongo" {
					given["store"] = freshMongo(t).String()
				}
				server := startSample(t, way == "attached", given)
				checkCounts(t, server, expected.Get("counts"))
				for _, want := range expected.Get("effectiveSet").Items {
					checkEffectiveSet(t, server, want)
				}
				for _, level := range expected.Get("uiParameters").Items {
					for _, context := range level.Get("result").Members {
						query := queryOf(level)
						query.Set("environmentId", "test-cluster/env-metadata-test")
						query.Set("context", context.Name)
						got := parse(t, server.must(t, 200, "GET", "/api/parameters?"+query.Encode(), ""))
						if !value.Equal(got.Get("parameters"), context.Value) {
							t.Errorf("%s: %s, want %s", query.Encode(), got.JSON(), context.Value.JSON())
						}
					}
				}
			})
		}
	}
}

// startSample starts a server that imported the sample, or one that it is attached to.
func startSample(t *testing.T, attached bool, given map[string]string) *running {
	t.Helper()
	if attached {
		return withGit(t, gittest.New(t, filesOf(t, sampleRepository)), given)
	}
	server := start(t, given)
	command(t, 1, "", "import", "instance-repo", sampleRepository, "--server", server.URL())
	return server
}

func checkCounts(t *testing.T, server *running, counts *value.Value) {
	t.Helper()
	for name, kinds := range map[string][]string{"clusters": {"cluster"}, "environments": {"environment"}, "namespaces": {"deployPostfix"},
		"applicationObjects": {"application"}, "paramsets": {"siteParamSet", "clusterParamSet", "environmentParamSet"},
		"solutionDescriptors": {"solutionDescriptor"}, "bgDomains": {"bgDomain"}} {
		n := 0
		for _, kind := range kinds {
			n += strings.Count(command(t, 0, "", "get", kind, "-o", "name", "--server", server.URL()), "\n")
		}
		if got := strconv.Itoa(n); got != counts.Get(name).Text {
			t.Errorf("there are %s %s, want %s", got, name, counts.Get(name).Text)
		}
	}
}

// checkEffectiveSet asks for one as it is, and for one with overlaps again with these let through.
func checkEffectiveSet(t *testing.T, server *running, want *value.Value) {
	t.Helper()
	query := queryOf(want)
	at := func() string { return "/api/effective-set?" + query.Encode() }
	if overlaps := want.Get("overlaps"); overlaps != nil && len(overlaps.Items) > 0 {
		refusal := parse(t, server.must(t, 409, "GET", at(), ""))
		for i, e := range refusal.Get("errors").Items {
			if path := e.Get("path").Text; i >= len(overlaps.Items) || path != "/"+overlaps.Items[i].Text {
				t.Errorf("%s: %s overlaps, want %s", at(), path, overlaps.JSON())
			}
		}
		query.Set("onOverlap", "last")
	}
	got := parse(t, server.must(t, 200, "GET", at(), "")).Get("parameters")
	if n := want.Get("topLevelKeys"); n != nil && n.Text != strconv.Itoa(len(got.Members)) {
		t.Errorf("%s: %d members, want %s", at(), len(got.Members), n.Text)
	}
	if result := want.Get("result"); result != nil && !value.Equal(got, result) {
		t.Errorf("%s: %s, want %s", at(), got.JSON(), result.JSON())
	}
}

// queryOf is the query for what a vector is about.
func queryOf(vector *value.Value) url.Values {
	query := make(url.Values)
	for member, name := range map[string]string{"environment": "environmentId", "context": "context", "namespace": "namespaceName", "application": "applicationName"} {
		if v := vector.Get(member); v != nil {
			query.Set(name, v.Text)
		}
	}
	return query
}

func parse(t *testing.T, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// filesOf reads all files below a folder.
func filesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
