package emco

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/schema"
	_ "github.com/dovetail-store/dovetail/src/schema/cel" // compiles rules
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
    schema: {properties: {metadata: {properties: {description: {type: string, maxLength: 5}}}}}
  - name: groupIntent
    parent: deploymentIntentGroup
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
		"keyId":"{compositeApp,compositeAppVersion,project}","data":{"metadata":{"name":"ca"},"spec":{"version":"v1"}}}`
	nginx = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60003"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","app":"nginx",
		"keyId":"{app,compositeApp,compositeAppVersion,project,}","data":{"metadata":{"name":"nginx"}},"appcontent":{"filecontent":"aGVsbG8="}}`
	cloud   = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60004"},"project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{"metadata":{"name":"lc"}}}`
	profile = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60005"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","compositeProfile":"cp",
		"keyId":"{compositeApp,compositeAppVersion,compositeProfile,project,}","data":{"metadata":{"name":"cp"}}}`
	group = `{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60006"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","deploymentIntentGroup":"dig",
		"keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project,}",
		"data":{"metadata":{"name":"dig"},"spec":{"logicalcloud":"lc","profile":"cp"}},"stateInfo":{"statuscontextid":"7","actions":[{"state":"Created","contextid":"","timestamp":{"$date":{"$numberLong":"1795306582411"}},"revision":{"$numberLong":"0"}}]},
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
		{name: "what the ref-schema refuses, and what refers to it", stored: []string{project, version, profile, group, strings.Replace(cloud, `{"name":"lc"}`, `{"name":"lc","description":"too long"}`, 1)},
			want: []string{"project/p", inVersion, inVersion + "/compositeProfile/cp",
				"dangling-reference " + inVersion + "/deploymentIntentGroup/dig -> project/p/logicalCloud/lc", "refused project/p/logicalCloud/lc -> "}},
		{name: "a reference to nothing, kept", stored: []string{project, version, profile, group}, options: Options{Dangling: true},
			want: []string{"project/p", inVersion, inVersion + "/compositeProfile/cp", inVersion + "/deploymentIntentGroup/dig",
				"dangling-reference " + inVersion + "/deploymentIntentGroup/dig -> project/p/logicalCloud/lc"}},
		{name: "a reference to an orphan", stored: []string{project, cloud, strings.ReplaceAll(cloud, `"p"`, `"q"`)},
			want: []string{"project/p", "project/p/logicalCloud/lc", "orphan project/q/logicalCloud/lc -> project/q"}},
		{name: "a stored reference that the data does not have", stored: []string{project, `{"_id":"x","project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{},
			"references":[{"key":{"project":"gone"},"keyid":"{project}"}]}`},
			want: []string{"project/p", "project/p/logicalCloud/lc", "stale-reference project/p/logicalCloud/lc -> project/gone"}},
		{name: "a stored reference to what is there that the data does not have", stored: []string{project, `{"_id":"x","project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{},
			"references":[{"key":{"project":"p"},"keyid":"{project}"}]}`},
			want: []string{"project/p", "project/p/logicalCloud/lc", "lost-reference project/p/logicalCloud/lc -> project/p"}},
		{name: "a stored reference that cannot be read", stored: []string{project, `{"_id":"x","project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project,}","data":{},
			"references":[{"key":{"project":"p"},"keyid":"{nothing}"},{"key":{},"keyid":"{project}"}]}`},
			want: []string{"project/p", "project/p/logicalCloud/lc", "lost-reference project/p/logicalCloud/lc -> ", "lost-reference project/p/logicalCloud/lc -> "}},
		{name: "an unknown field, and an odd one", stored: []string{strings.Replace(project, `{"name":"p"}`, `{"name":"p","colour":"red","description":7}`, 1)},
			want: []string{"project/p", "odd-value project/p -> ", "unknown-field project/p -> "}},
		{name: "the lifecycle of a group in the document of its app", stored: []string{project, version, nginx, cloud, profile,
			strings.Replace(group, `"stateInfo"`, `"elsewhere"`, 1),
			`{"_id":{"$oid":"60d5ec49f1b2c3d4e5f60007"},"project":"p","compositeApp":"ca","compositeAppVersion":"v1","deploymentIntentGroup":"dig","groupIntent":"gi",
			"keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project}","data":{"metadata":{"name":"gi"}},"references":[],
			"stateInfo":{"statuscontextid":"","actions":[{"state":"Approved","contextid":"","timestamp":{"$date":"2026-11-22T00:16:22Z"},"revision":0}]}}`},
			want: []string{"project/p", inVersion, inVersion + "/app/nginx", inVersion + "/compositeProfile/cp", inVersion + "/deploymentIntentGroup/dig", inVersion + "/deploymentIntentGroup/dig/groupIntent/gi",
				"project/p/logicalCloud/lc",
				"unknown-field " + inVersion + "/deploymentIntentGroup/dig -> ",
				"misplaced " + inVersion + "/deploymentIntentGroup/dig/groupIntent/gi -> ", "misplaced " + inVersion + "/deploymentIntentGroup/dig/groupIntent/gi -> "}},
		{name: "a kubeconfig without its cluster", stored: []string{`{"_id":"x","cloudConfigCluster":"c","cloudConfigClusterProvider":"p","level":"0","namespace":"default","config":{"config":"YXBp"},"keyId":"{cloudConfigCluster,cloudConfigClusterProvider,level,namespace}"}`},
			want: []string{"not-migrated clusterProvider/p/cluster/c -> "}},
		{name: "a segment of another ref-schema", stored: []string{`{"_id":"x","SegmentId":"1","keyId":"{SegmentId}","segment":{"name":"s","resources":[{"name":"project","parent":""},{"name":"app","parent":"project","references":[{"name":"cluster"}]},{"name":"none"}]}}`},
			want: []string{"other-schema  -> ", "other-schema  -> ", "other-schema  -> "}},
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
				migration := migrate(t, m, stored, tt.options)
				var got []string
				for _, doc := range migration.Documents {
					got = append(got, string(doc.ID))
				}
				for _, f := range migration.Findings {
					if f.Problem != MissingField { // of which these have many
						got = append(got, fmt.Sprintf("%s %s -> %s", f.Problem, f.ID, f.Other))
					}
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
				rand.Shuffle(len(stored), func(i, j int) { stored[i], stored[j] = stored[j], stored[i] })
			}
		})
	}
}

// What cannot be read is named, so that it can be found in a long file.
func TestUnreadableIsNamed(t *testing.T) {
	migration := migrate(t, model(t), []*value.Value{parse(t, `{"url":"/v2/projects"}`), parse(t, `{"_id":"x"}`)}, Options{})
	var got []string
	for _, f := range migration.Findings {
		got = append(got, f.Message)
	}
	if want := []string{"stored document 1, which has no _id, has no keyId", "the resource with _id x has no keyId"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMigrateKeepsEverything(t *testing.T) {
	migration := migrate(t, model(t), []*value.Value{parse(t, project), parse(t, version), parse(t, nginx), parse(t, cloud), parse(t, profile), parse(t, group)}, Options{})
	app := migration.Documents[2]
	if len(app.Content) != 1 || app.Content[0].Name != "file" || string(app.Content[0].Data) != "hello" {
		t.Errorf("the content is %+v", app.Content)
	}
	dig := migration.Documents[4]
	if got, want := string(dig.Status), `{"stateInfo":{"statusctxid":"7","actions":[{"state":"Created","instance":"","time":"2026-11-22T00:16:22.411Z","revision":0}]}}`; got != want {
		t.Errorf("the status is %s, want %s", got, want)
	}
	if got, want := dig.ETag().Version(), "60d5ec49f1b2c3d4e5f60006-1"; got != want || dig.Created.Format("2006-01-02") != "2021-06-25" {
		t.Errorf("version %s created %s, want %s of 2021-06-25", got, dig.Created, want)
	}
}

// databases are what EMCO itself wrote; see testdata/README.md.
var databases = []string{"vfw", "test-gac"}

func database(t testing.TB, name string) (stored []*value.Value) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + "/documents.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		stored = append(stored, parse(t, string(line)))
	}
	return stored
}

func emcoModel(t testing.TB) *schema.Model {
	t.Helper()
	sources, err := schema.ReadDir("../../../ref-schemas/examples/emco")
	if err != nil {
		t.Fatal(err)
	}
	m, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMigrateDatabases migrates what EMCO wrote: each document is accounted for, and each stored reference is one of the new document
// or reported. That all reads answer what EMCO's API answers is for package app to see.
func TestMigrateDatabases(t *testing.T) {
	m := emcoModel(t)
	for _, name := range databases {
		t.Run(name, func(t *testing.T) {
			stored := database(t, name)
			migration := migrate(t, m, stored, Options{Dangling: true})
			if got := len(migration.Documents) + migration.Left + migration.Merged; got != len(stored) || migration.Left != 0 {
				t.Errorf("of %d documents %d are accounted for, %d left out", len(stored), got, migration.Left)
			}
			for _, f := range migration.Findings {
				if f.Problem != Dangling || !strings.HasSuffix(string(f.Other), "/cluster/dummy") {
					t.Errorf("found %+v", f)
				}
			}
			references := 0
			for _, s := range stored {
				references += len(items(s.Get(memberReferences)))
			}
			for _, doc := range migration.Documents {
				kind, err := m.KindOf(doc.ID)
				if err != nil {
					t.Fatal(err)
				}
				references -= len(kind.Extract(doc.ID, parse(t, string(doc.Data))))
			}
			if references != 0 {
				t.Errorf("%d stored references are not references of the documents", references)
			}
		})
	}
}

// TestRemovedFields removes each stored field in turn: none is missed without a word.
func TestRemovedFields(t *testing.T) {
	m := emcoModel(t)
	for _, name := range databases {
		t.Run(name, func(t *testing.T) {
			stored := database(t, name)
			before := migrate(t, m, stored, Options{Dangling: true})
			removed := 0
			for i, document := range stored {
				for _, path := range memberPaths(document, nil) {
					changed := document.Clone()
					parent := changed
					for _, step := range path[:len(path)-1] {
						parent = step.of(parent)
					}
					parent.Delete(path[len(path)-1].name)
					all := slices.Clone(stored)
					all[i] = changed
					removed++
					if after := migrate(t, m, all, Options{Dangling: true}); len(after.Findings) <= len(before.Findings) && slices.Equal(after.Findings, before.Findings) {
						t.Errorf("without %v in %s nothing is reported", path, document.JSON()[:min(200, len(document.JSON()))])
					}
				}
			}
			if removed < 300 {
				t.Errorf("only %d fields were removed", removed)
			}
		})
	}
}

// place is a member of an object or an element of a list.
type place struct {
	name  string
	index int
}

func (p place) of(v *value.Value) *value.Value {
	if p.name == "" {
		return v.Items[p.index]
	}
	return v.Get(p.name)
}

// free are objects whose members have names that EMCO does not know: what is absent in them is not missing.
var free = []string{"valuesobj", "kv", "patchjson", "intent", "labels", "segment"}

// memberPaths lists the members of a stored document whose absence can be seen.
func memberPaths(v *value.Value, at []place) (paths [][]place) {
	for _, m := range v.Members {
		if strings.HasPrefix(m.Name, "$") {
			continue
		}
		here := append(slices.Clone(at), place{name: m.Name})
		paths = append(paths, here)
		if !slices.Contains(free, m.Name) {
			paths = append(paths, memberPaths(m.Value, here)...)
		}
	}
	for i, item := range v.Items {
		paths = append(paths, memberPaths(item, append(slices.Clone(at), place{index: i}))...)
	}
	return paths
}

// TestUnknownState migrates a group whose last state the ref-schema does not know: what was instantiated stays so.
func TestUnknownState(t *testing.T) {
	stored := database(t, "vfw")
	for i, document := range stored {
		if document.Get("stateInfo") == nil || document.Get("deploymentIntentGroup") == nil {
			continue
		}
		changed := document.Clone()
		actions := changed.At("stateInfo", "actions")
		further := actions.Items[len(actions.Items)-1].Clone()
		further.Set("state", value.NewString("Elsewhere"))
		actions.Items = append(actions.Items, further)
		stored[i] = changed
	}
	migration := migrate(t, emcoModel(t), stored, Options{})
	if len(migration.Findings) != 1 || migration.Findings[0].Problem != OddValue {
		t.Errorf("found %+v", migration.Findings)
	}
	for _, doc := range migration.Documents {
		if doc.Kind == "deploymentIntentGroup" && !strings.Contains(string(doc.Status), `"lifecycle":{"state":"Instantiated"`) {
			t.Errorf("the status is %s", doc.Status)
		}
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
		migration := migrate(t, m, []*value.Value{v}, Options{})
		if len(migration.Documents)+migration.Left+migration.Merged != 1 {
			t.Errorf("%d documents, %d left out", len(migration.Documents), migration.Left)
		}
		for _, doc := range migration.Documents {
			if _, err := m.KindOf(doc.ID); err != nil {
				t.Error(err)
			}
		}
	})
}
