package emco

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

const testSchema = `
resources:
  - name: project
  - name: compositeApp.compositeAppVersion
    parent: project
  - name: app
    parent: compositeAppVersion
    content: [file]
  - name: compositeProfile
    parent: compositeAppVersion
  - name: logicalCloud
    parent: project
  - name: deploymentIntentGroup
    parent: compositeAppVersion
    references:
      - name: logicalCloud
      - name: compositeProfile
`

func model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := schema.Compile([]schema.Source{{Name: "test.yaml", Data: []byte(testSchema)}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func parse(t testing.TB, text string) *value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text), value.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// Stored resources, as relaxed extended JSON has them.
const (
	project = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60001"},"project":"p","keyId":"{project,}","data":{"metadata":{"name":"p"}}}`
	version = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60002"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1",
		"keyId":"{compositeApp,compositeAppVersion,project}","data":{"metadata":{"name":"ca"},"spec":{"compositeAppVersion":"v1"}}}`
	nginx = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60003"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","app":"nginx",
		"keyId":"{app,compositeApp,compositeAppVersion,project,}","data":{"metadata":{"name":"nginx"}},"appcontent":{"filecontent":"aGVsbG8="}}`
	cloud   = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60004"},"project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{"metadata":{"name":"lc"}}}`
	profile = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60005"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","compositeProfile":"cp",
		"keyId":"{compositeApp,compositeAppVersion,compositeProfile,project,}","data":{"metadata":{"name":"cp"}}}`
	group = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60006"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","deploymentIntentGroup":"dig",
		"keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project,}",
		"data":{"metadata":{"name":"dig"},"spec":{"logicalCloud":"lc","compositeProfile":"cp"}},"stateInfo":{"actions":[{"state":"Created"}]},
		"references":[{"key":{"logicalCloud":"lc","project":"p"},"keyid":"{logicalCloud,project,}"},
		{"key":{"compositeProfile":"cp","compositeApp":"ca","project":"p","compositeAppVersion":"v1"},"keyid":"{compositeApp,compositeAppVersion,compositeProfile,project,}"}]}`
)

const inVersion = "project/p/compositeApp/ca/compositeAppVersion/v1"

func TestMigrate(t *testing.T) {
	tests := []struct {
		name    string
		stored  []string
		options Options
		want    []string // ids, then "PROBLEM ID -> OTHER"
	}{
		{name: "nothing"},
		{name: "everything fits", stored: []string{group, nginx, profile, cloud, version, project},
			want: []string{"project/p", inVersion, inVersion + "/app/nginx", inVersion + "/compositeProfile/cp", inVersion + "/deploymentIntentGroup/dig", "project/p/logicalCloud/lc"}},
		{name: "a key twice", stored: []string{project, strings.Replace(project, "60001", "60009", 1)},
			want: []string{"project/p", "duplicate project/p -> "}},
		{name: "an orphan and what is below it", stored: []string{version, nginx},
			want: []string{"orphan " + inVersion + " -> project/p", "orphan " + inVersion + "/app/nginx -> " + inVersion}},
		{name: "a reference to nothing", stored: []string{project, version, profile, group},
			want: []string{"project/p", inVersion, inVersion + "/compositeProfile/cp",
				"dangling-reference " + inVersion + "/deploymentIntentGroup/dig -> project/p/logicalCloud/lc"}},
		{name: "a reference to nothing, kept", stored: []string{project, version, profile, group}, options: Options{Dangling: true},
			want: []string{"project/p", inVersion, inVersion + "/compositeProfile/cp", inVersion + "/deploymentIntentGroup/dig",
				"dangling-reference " + inVersion + "/deploymentIntentGroup/dig -> project/p/logicalCloud/lc"}},
		{name: "a reference to an orphan", stored: []string{project, cloud, strings.ReplaceAll(cloud, `"p"`, `"q"`)},
			want: []string{"project/p", "project/p/logicalCloud/lc", "orphan project/q/logicalCloud/lc -> project/q"}},
		{name: "a stored reference that the data does not have", stored: []string{project, `{"_id":"x","project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{},
			"references":[{"key":{"project":"gone"},"keyid":"{project}"}]}`},
			want: []string{"project/p", "project/p/logicalCloud/lc", "stale-reference project/p/logicalCloud/lc -> project/gone"}},
		{name: "no keyId", stored: []string{`{"_id":"x","project":"p","data":{}}`}, want: []string{"unreadable  -> "}},
		{name: "a keyId of no kind", stored: []string{`{"_id":"x","cluster":"c","keyId":"{cluster,}","data":{}}`}, want: []string{"unreadable  -> "}},
		{name: "a key with a hole", stored: []string{`{"_id":"x","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{}}`}, want: []string{"unreadable  -> "}},
		{name: "no data", stored: []string{`{"_id":"x","project":"p","keyId":"{project,}"}`}, want: []string{"unreadable project/p -> "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stored []*value.Value
			for _, text := range tt.stored {
				stored = append(stored, parse(t, text))
			}
			m := model(t)
			for range 10 { // in any order
				migration := Migrate(m, stored, tt.options)
				var got []string
				for _, doc := range migration.Documents {
					got = append(got, string(doc.ID))
				}
				for _, f := range migration.Findings {
					got = append(got, fmt.Sprintf("%s %s -> %s", f.Problem, f.ID, f.Other))
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
				rand.Shuffle(len(stored), func(i, j int) { stored[i], stored[j] = stored[j], stored[i] })
			}
		})
	}
}

func TestMigrateKeepsEverything(t *testing.T) {
	migration := Migrate(model(t), []*value.Value{parse(t, project), parse(t, version), parse(t, nginx), parse(t, cloud), parse(t, profile), parse(t, group)}, Options{})
	app := migration.Documents[2]
	if len(app.Content) != 1 || app.Content[0].Name != "file" || string(app.Content[0].Data) != "hello" {
		t.Errorf("the content is %+v", app.Content)
	}
	dig := migration.Documents[4]
	if got, want := string(dig.Status), `{"stateInfo":{"actions":[{"state":"Created"}]}}`; got != want {
		t.Errorf("the status is %s, want %s", got, want)
	}
	if got, want := dig.ETag().Version(), "60d5ec49f1b2c3d4e5f60006-1"; got != want || dig.Created.Format("2006-01-02") != "2021-06-25" {
		t.Errorf("version %s created %s, want %s of 2021-06-25", got, dig.Created, want)
	}
}

// A whole database, made of the resources that the sample schema of EMCO describes.
func TestMigrateUnderEMCOsSchema(t *testing.T) {
	sources, err := schema.ReadDir("../../../ref-schemas/examples/emco")
	if err != nil {
		t.Fatal(err)
	}
	m, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	migration := Migrate(m, []*value.Value{parse(t, project), parse(t, version), parse(t, nginx)}, Options{})
	if len(migration.Documents) != 3 || len(migration.Findings) != 0 {
		t.Errorf("%d documents, findings %+v", len(migration.Documents), migration.Findings)
	}
}

func FuzzMigrate(f *testing.F) {
	for _, text := range []string{project, version, nginx, cloud, profile, group, `{"_id":1,"keyId":"{,project","project":"a/b","data":{}}`} {
		f.Add(text)
	}
	m := model(f)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return
		}
		migration := Migrate(m, []*value.Value{v}, Options{})
		if len(migration.Documents)+migration.Left != 1 {
			t.Errorf("%d documents, %d left out", len(migration.Documents), migration.Left)
		}
		for _, doc := range migration.Documents {
			if _, err := m.KindOf(doc.ID); err != nil {
				t.Error(err)
			}
		}
	})
}
