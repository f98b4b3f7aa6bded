package emcostore_test

import (
	"path/filepath"
	"slices"
	"testing"

	"go.mongodb.org/mongo-driver/bson"

	"github.com/dovetail-store/dovetail/src/internal/emco"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// memory is a spool.
type memory [][]byte

func (m *memory) Write(text []byte) (int64, error) {
	*m = append(*m, slices.Clone(text))
	return int64(len(*m) - 1), nil
}

func (m *memory) Read(at int64) ([]byte, error) { return (*m)[at], nil }

// migrate takes stored documents over as `dovetail migrate emco` does.
func migrate(t *testing.T, s opened, stored [][]byte) *emco.Migration {
	t.Helper()
	m := emco.New(s.engine.Model(), new(memory), emco.Options{Dangling: true})
	for _, line := range stored {
		document, err := value.ParseJSON(line, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(document); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(); err != nil {
		t.Fatal(err)
	}
	for batch, err := range m.Batches(100, 1<<20) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.engine.Import(t.Context(), batch, store.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestMigrated migrates the databases, on which the services then go on.
func TestMigrated(t *testing.T) {
	for _, database := range databases {
		t.Run(database, func(t *testing.T) {
			s := open(t, apitest.OpenBolt(t), store.Config{WeakReferences: true})
			migrate(t, s, lines(t, filepath.Join("testdata", database, "documents.jsonl")))
			for _, doc := range read(t, database) {
				for _, tag := range doc.tags() {
					compare(t, s, doc, tag)
				}
			}
		})
	}
}

// TestMigratedRecords migrates what is no part of a resource's document.
func TestMigratedRecords(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{})
	m := migrate(t, s, [][]byte{
		[]byte(`{"_id":{"$oid":"6b0234541fdefc45630a9b21"},"project":"p","data":{"metadata":{"name":"p","description":"","userdata1":"","userdata2":""}},"keyId":"{project}","references":[]}`),
		[]byte(`{"_id":{"$oid":"6b0234541fdefc45630a9b22"},"project":"p","logicalCloud":"lc","keyId":"{logicalCloud,project}","references":[],
			"data":{"metadata":{"name":"lc","description":"","userdata1":"","userdata2":""},"specification":{"namespace":"","labels":null,"level":"1","user":{"username":"u","type":""}}},
			"stateInfo":{"statuscontextid":"","actions":[{"state":"Created","contextid":"","timestamp":{"$date":{"$numberLong":"1795306582411"}},"revision":{"$numberLong":"0"}}]},
			"privatekey":{"keyvalue":"a2V5"}}`),
		[]byte(`{"_id":{"$oid":"6b0234541fdefc45630a9b23"},"cloudConfigClusterProvider":"cp","cloudConfigCluster":"c","level":"1","namespace":"ns","config":{"config":"Yg=="},"keyId":"{cloudConfigCluster,cloudConfigClusterProvider,level,namespace}"}`),
		[]byte(`{"_id":{"$oid":"6b0234541fdefc45630a9b24"},"thing":"x","keyId":"{thing}","other":{"n":{"$numberLong":"7"}}}`),
	})
	for _, finding := range m.Findings {
		t.Errorf("%+v", finding)
	}
	if m.Left != 0 {
		t.Errorf("%d documents are left out", m.Left)
	}
	for i, test := range []struct {
		key  Key
		tag  string
		want string
	}{
		{cloudKey{"p", "lc"}, "privatekey", `{"keyvalue":"a2V5"}`},
		{configKey{"cp", "c", "1", "ns"}, "config", `{"config":"Yg=="}`},
		{map[string]string{"thing": "x"}, "other", `{"n":{"$numberLong":"7"}}`},
	} {
		found, err := s.Find(t.Context(), resources, test.key, test.tag)
		if err != nil || len(found) != 1 || form(t, bson.Raw(found[0])) != test.want {
			t.Errorf("%d: got %q, %v; want %s", i, found, err, test.want)
		}
	}
}

// TestMigratedLookups finds migrated resources by what EMCO's services store beside them to find them by, and by what others do.
func TestMigratedLookups(t *testing.T) {
	s := open(t, apitest.OpenBolt(t), store.Config{WeakReferences: true})
	const above = `"project":"p","compositeApp":"ca","compositeAppVersion":"v1","deploymentIntentGroup":"g",`
	const metadata = `"metadata":{"name":"x","description":"","userdata1":"","userdata2":""}`
	const selectors = `"podselector":{"matchlabels":null,"matchexpressions":null},"namespaceselector":{"matchlabels":null,"matchexpressions":null}`
	stored := [][]byte{
		[]byte(`{"_id":"a","project":"p","keyId":"{project}","references":[],"data":{` + metadata + `}}`),
		[]byte(`{"_id":"b","project":"p","compositeApp":"ca","compositeAppVersion":"v1","keyId":"{compositeApp,compositeAppVersion,project}","references":[],"data":{` + metadata + `,"spec":{"version":"v1"}}}`),
		[]byte(`{"_id":"c",` + above + `"keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project}","references":[],"data":{` + metadata + `},"stateInfo":{"statuscontextid":"","actions":[]}}`),
		[]byte(`{"_id":"d",` + above + `"sfcIntent":"c","keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project,sfcIntent}","references":[],"data":{` + metadata + `,"spec":{"chaintype":"Routing","namespace":"n"}}}`),
		[]byte(`{"_id":"e","project":"p","logicalCloud":"lc","color":"red","keyId":"{logicalCloud,project}","references":[],"data":{` + metadata + `},"stateInfo":{"statuscontextid":"","actions":[]}}`),
	}
	for name, end := range map[string]string{"one": "left", "two": "left", "three": "right"} {
		stored = append(stored, []byte(`{"_id":"`+name+`",`+above+`"sfcIntent":"c","sfcClientSelector":"`+name+`","chainEnd":"`+end+`","keyId":"{compositeApp,compositeAppVersion,deploymentIntentGroup,project,sfcClientSelector,sfcIntent}",
			"references":[],"data":{`+metadata+`,"spec":{"chainend":"`+end+`",`+selectors+`}}}`))
	}
	m := migrate(t, s, stored)
	for _, finding := range m.Findings {
		if finding.Problem == emco.UnknownField && finding.ID != "project/p/logicalCloud/lc" {
			t.Errorf("%+v", finding)
		}
	}
	for _, test := range []struct {
		key  Key
		want int
	}{
		{chainKey{groupKey: group, End: "left"}, 2},
		{chainKey{groupKey: group, End: "right"}, 1},
		{chainKey{groupKey: group, End: "middle"}, 0},
		{map[string]string{"project": "p", "color": "red"}, 1},
		{map[string]string{"project": "p", "color": "blue"}, 0},
	} {
		found, err := s.Find(t.Context(), resources, test.key, "data")
		if err != nil || len(found) != test.want {
			t.Errorf("%+v: got %d, %v; want %d", test.key, len(found), err, test.want)
		}
	}
	step{call: "Remove", key: cloudKey{"p", "lc"}}.run(t, s, 0)
	step{call: "Find", key: map[string]string{"project": "p", "color": "red"}, tag: "data"}.run(t, s, 1)
}
