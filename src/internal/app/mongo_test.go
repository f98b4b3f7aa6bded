package app

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest/mongotest"
)

// freshMongo returns the location of a new database, which is dropped afterwards.
func freshMongo(t testing.TB) *url.URL {
	t.Helper()
	return mongotest.Location(t)
}

// command runs the command line and returns what it put out.
func command(t *testing.T, code int, in string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	deps := CommandLine()
	deps.In, deps.Out, deps.Err, deps.Env = strings.NewReader(in), &out, &errs, os.LookupEnv
	deps.Serve, deps.Gateway, deps.Kubeconfig = nil, nil, nil
	got := cli.Run(t.Context(), deps, args)
	if got != code {
		t.Fatalf("dovetail %s: code %d, want %d\n%s%s", strings.Join(args, " "), got, code, out.String(), errs.String())
	}
	return out.String()
}

// manifests have everything that stores could see differently: numbers, names and texts that BSON does not
// know as JSON does, files, references and status.
const manifests = `[
	{"kind":"cluster","metadata":{"name":"c1","labels":{"a.b/c":"$x"}},"spec":{"$set":1,"a.b":2,"":3,"\u0000":4,"_id":"x",
		"numbers":[1,1.0,1e400,-0,0.1,12345678901234567890,1E-7],"text":"<&>\u2028\ud83d\ude00","empty":[{},[],"",null,false]}},
	{"kind":"environment","key":{"cluster":"c1"},"metadata":{"name":"dev"}},
	{"kind":"environment","key":{"cluster":"c1"},"metadata":{"name":"prod"}}]`

// TestExportBetweenStores takes an export from the embedded store to MongoDB and back: all three exports are
// the same, byte for byte.
func TestExportBetweenStores(t *testing.T) {
	mongo := freshMongo(t).String()
	dir := t.TempDir()
	first, second := "bolt:"+filepath.Join(dir, "first.db"), "bolt:"+filepath.Join(dir, "second.db")
	command(t, 0, manifests, "apply", "-f", "-", "--store", first)
	want := command(t, 0, "", "export", "--store", first)
	if strings.Count(want, "\n") != 4 { // three documents and the end
		t.Fatalf("exported %s", want)
	}
	from, export := first, want
	for _, to := range []string{mongo, second} {
		command(t, 0, export, "import", "-", "--store", to)
		command(t, 0, "", "fsck", "--store", to)
		if export = command(t, 0, "", "export", "--store", to); export != want {
			t.Errorf("exported from %s\n%s\nafter import of what was exported from %s\n%s", to, export, from, want)
		}
		from = to
	}
}

// TestMongoFsck damages an index field in the database directly, and has it repaired.
func TestMongoFsck(t *testing.T) {
	uri := freshMongo(t)
	command(t, 0, manifests, "apply", "-f", "-", "--store", uri.String())
	command(t, 0, "", "fsck", "--store", uri.String())
	documents := mongotest.Database(t, uri).Collection("documents")
	if _, err := documents.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "cluster/c1"}},
		bson.D{{Key: "$set", Value: bson.D{{Key: "refs", Value: bson.A{"cluster/nowhere"}}}}}); err != nil {
		t.Fatal(err)
	}
	command(t, 1, "", "fsck", "--store", uri.String())
	command(t, 0, "", "fsck", "--repair", "--store", uri.String())
	command(t, 0, "", "fsck", "--store", uri.String())
	if _, err := documents.DeleteOne(t.Context(), bson.D{{Key: "_id", Value: "cluster/c1"}}); err != nil {
		t.Fatal(err)
	}
	if out := command(t, 1, "", "fsck", "--repair", "--store", uri.String()); !strings.Contains(out, "cluster/c1") {
		t.Errorf("fsck does not name the parent that is gone:\n%s", out)
	}
}

// TestMigrateEMCO reads a database as the older system leaves it, on a real server.
func TestMigrateEMCO(t *testing.T) {
	from := freshMongo(t)
	member := func(name string, v any) bson.E { return bson.E{Key: name, Value: v} }
	data := func(name string) bson.E {
		return member("data", bson.D{member("metadata", bson.D{member("name", name)}), member("spec", bson.D{member("n", int64(1)<<60)})})
	}
	version := bson.D{member("project", "p"), member("compositeApp", "ca"), member("compositeAppVersion", "v1")}
	app := append(append(bson.D{}, version...), member("app", "nginx"), member("keyId", "{app,compositeApp,compositeAppVersion,project,}"),
		data("nginx"), member("appcontent", bson.D{member("filecontent", "aGVsbG8=")}))
	resources := []any{
		bson.D{member("project", "p"), member("keyId", "{project,}"), data("p")},
		bson.D{member("project", "p"), member("keyId", "{project}"), data("p")},
		append(append(bson.D{}, version...), member("keyId", "{compositeApp,compositeAppVersion,project,}"), data("ca")),
		app,
		bson.D{member("project", "gone"), member("logicalCloud", "lc"), member("keyId", "{logicalCloud,project,}"), data("lc"),
			member("references", bson.A{bson.D{member("key", bson.D{member("project", "gone")}), member("keyid", "{project,}")}})},
	}
	if _, err := mongotest.Database(t, from).Collection("resources").InsertMany(t.Context(), resources); err != nil {
		t.Fatal(err)
	}
	to := freshMongo(t).String()
	var report struct {
		Items []struct{ Problem, ID string }
	}
	out := command(t, 1, "", "migrate", "emco", from.String(), "--store", to, "--ref-schemas", "../../../ref-schemas/examples/emco", "-o", "json")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	problems := make(map[string]int)
	for _, item := range report.Items {
		problems[item.Problem]++
	}
	if want := map[string]int{"orphan": 1, "duplicate": 1, "missing-field": 5, "unknown-field": 5}; !maps.Equal(problems, want) {
		t.Errorf("reported %+v", report.Items)
	}
	if got, want := command(t, 0, "", "get", "app", "p/ca/v1/nginx", "--store", to, "-o", "name"),
		"project/p/compositeApp/ca/compositeAppVersion/v1/app/nginx\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	command(t, 0, "", "fsck", "--store", to)
	if n, err := mongotest.Database(t, from).Collection("resources").CountDocuments(t.Context(), bson.D{}); n != 5 || err != nil {
		t.Errorf("the older database has %d resources, %v", n, err)
	}
}

func TestWithoutPassword(t *testing.T) {
	tests := []struct{ name, location, want string }{
		{name: "a file", location: "bolt:./data/dovetail.db", want: "bolt:./data/dovetail.db"},
		{name: "no password", location: "mongodb://h:27017/db", want: "mongodb://h:27017/db"},
		{name: "a password", location: "mongodb://u:secret@h/db?tls=true", want: "mongodb://u:xxxxx@h/db?tls=true"},
		{name: "several hosts", location: "mongodb://u:secret@h1:1,h2:2/db", want: "mongodb://u:xxxxx@h1:1,h2:2/db"},
		{name: "an @ in it", location: "mongodb://u:sec@ret@h1,h2/db", want: "mongodb://u:xxxxx@h1,h2/db"},
		{name: "unreadable", location: "mongodb://u:secret%zz@h/db", want: "mongodb://...@h/db"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := withoutPassword(tt.location)
			if strings.Contains(got, "secret") || strings.Contains(got, "sec@") || got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
