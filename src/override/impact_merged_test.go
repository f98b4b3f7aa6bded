package override_test

import (
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// merging is the impact of a change of the documents of files.
func merging(t testing.TB, of impact.Func, was, is map[string]string) *impact.Report {
	t.Helper()
	after, target := newStore(t, apitest.OpenBolt(t), was), newStore(t, apitest.OpenBolt(t), is)
	head, err := after.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[dovetail.ID][2]*dovetail.Document)
	for i, s := range []*store.Store{after, target} {
		for doc, err := range s.Documents(t.Context(), store.ListQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			both := said[doc.ID]
			both[i] = doc
			said[doc.ID] = both
		}
	}
	var operations []store.Operation
	var changed []dovetail.ID
	for _, id := range slices.Sorted(maps.Keys(said)) {
		switch now, then := said[id][0], said[id][1]; {
		case then == nil:
			operations = append(operations, store.Operation{Verb: store.Delete, ID: id})
		case now == nil || string(now.Data) != string(then.Data):
			data, err := value.ParseJSON(then.Data, value.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			operations = append(operations, store.Operation{Verb: store.Put, ID: id, Data: data})
		default:
			continue
		}
		changed = append(changed, id)
	}
	if _, err := after.Apply(t.Context(), operations, store.Options{}); err != nil {
		t.Fatal(err)
	}
	before, err := after.At(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	report := &impact.Report{Limit: 1000}
	if err := of(t.Context(), before, after, changed, report.Of("override")); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestImpactOfMerges: what a change of documents does to the set of a real environment is the difference of the calculated sets of the files.
func TestImpactOfMerges(t *testing.T) {
	const root = "environments/cluster-01/pl-01/"
	files := realFiles(t)
	options := override.Options{Repository: repositoryOf, SBOMs: os.DirFS(realRepository + "/sboms")}
	before, err := realSet(files)
	if err != nil {
		t.Fatal(err)
	}
	parameter := func(name, v string) *value.Value {
		return value.NewMap(value.Member{Name: name, Value: value.NewString(v)})
	}
	for _, test := range []struct {
		name   string
		change func(files map[string]string) map[string]string
		secret string // that must not be shown
		fails  bool
		none   bool // the environment is examined, and does not change
	}{
		{name: "a parameter of the cloud", change: func(files map[string]string) map[string]string {
			return edited(t, files, root+"cloud.yml", "deployParameters", parameter("NEW", "x"))
		}},
		{name: "a parameter of a namespace with a macro", change: func(files map[string]string) map[string]string {
			return edited(t, files, root+"Namespaces/pg/namespace.yml", "deployParameters", parameter("NEW", "${tenant.TENANTNAME}"))
		}},
		{name: "a parameter with a credential", secret: "pass-placeholder-123", change: func(files map[string]string) map[string]string {
			return edited(t, files, root+"Namespaces/pg/namespace.yml", "deployParameters", parameter("DSN", "${creds.get('minio-cred').password}"))
		}},
		{name: "a macro that refers to nothing", fails: true, change: func(files map[string]string) map[string]string {
			return edited(t, files, root+"Namespaces/pg/namespace.yml", "deployParameters", parameter("NEW", "${nothing}"))
		}},
		{name: "what no set is calculated from", none: true, change: func(files map[string]string) map[string]string {
			made := maps.Clone(files)
			made[root+"Inventory/parameters/unused.yml"] = "name: unused\nparameters: {a: 1}\n"
			return made
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := test.change(files)
			report := merging(t, override.Impact(options), files, changed)
			if test.none {
				if report.Total != 0 || report.Same != 1 || len(report.Unchanged) != 1 || report.Unchanged[0].ID != "cluster-01/pl-01" {
					t.Errorf("%+v", report)
				}
				return
			}
			if report.Total != 1 || report.Items[0].ID != "cluster-01/pl-01" || report.Items[0].Basis != "calculation" {
				t.Fatalf("%+v", report)
			}
			item := report.Items[0]
			if test.fails {
				if !strings.Contains(item.Error, "nothing") || !strings.Contains(item.Error, "namespace.yml:") {
					t.Errorf("%+v", item)
				}
				return
			}
			after, err := realSet(changed)
			if err != nil {
				t.Fatal(err)
			}
			want, err := effectiveset.Differences(before, after)
			if err != nil || len(want) == 0 {
				t.Fatal(len(want), err)
			}
			if len(item.Changes)+item.More != len(want) || item.Error != "" {
				t.Errorf("%d changes and %d more, not %d: %s", len(item.Changes), item.More, len(want), item.Error)
			}
			for i, c := range item.Changes {
				if d := want[i]; c.File != d.File || c.Path != d.Path || string(c.Op) != string(d.Op) || c.Secret != d.Secret || !d.Secret && string(c.To) != string(impact.JSON(d.To)) {
					t.Errorf("%+v instead of %+v", c, d)
				}
				if c.Secret && (c.From != nil || c.To != nil) || test.secret != "" && c.To != nil && strings.Contains(string(c.To), test.secret) {
					t.Errorf("%s shows a secret", c.Path)
				}
			}
		})
	}
}

// TestImpactOfMergedParamSets: those that environments use are laid over the instance as building it would do, in all of them, within the time that there is.
func TestImpactOfMergedParamSets(t *testing.T) {
	files := sharedFiles(40, func(i int) bool { return i%2 == 0 })
	changed := maps.Clone(files)
	changed["environments/parameters/common.yml"] = "name: common\nparameters: {LEVEL: debug}\n"
	runs := 0
	options := override.Options{Repository: func(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
		runs++
		return repositoryOf(documents)
	}}
	of := override.Impact(options)
	report := merging(t, of, files, changed)
	if report.Total != 20 || report.Same != 0 || report.Incomplete {
		t.Errorf("%d of %d are changed", report.Total, report.Same)
	}
	for _, item := range report.Items {
		if len(item.Changes) != 1 || item.Changes[0].File != "pipeline/parameters.yaml" || item.Changes[0].Path != "/LEVEL" || string(item.Changes[0].To) != `"debug"` ||
			len(item.Findings) != 1 || item.Findings[0].Reason != "parameter-left" {
			t.Errorf("%+v", item)
		}
	}
	if runs != 20 {
		t.Errorf("%d repositories were made", runs)
	}
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	hourly := func() time.Time { mu.Lock(); defer mu.Unlock(); now = now.Add(time.Hour); return now }
	if hurried := merging(t, override.Impact(override.Options{Repository: repositoryOf, Now: hourly}), files, changed); !hurried.Incomplete {
		t.Error("what was not looked at is not told")
	}
}

// TestImpactOfMergesWithoutCalculation compares the generated files of an environment whose set cannot be calculated, and says why.
func TestImpactOfMergesWithoutCalculation(t *testing.T) {
	const root = "environments/c/e/"
	files := map[string]string{root + "Inventory/env_definition.yml": "envTemplate: {envSpecificE2EParamsets: {cloud: [own]}}\n", root + "Inventory/parameters/own.yml": "name: own\nparameters: {LEVEL: info}\n"}
	changed := maps.Clone(files)
	changed[root+"Inventory/parameters/own.yml"] = "name: own\nparameters: {LEVEL: debug}\n"
	report := merging(t, override.Impact(override.Options{Repository: repositoryOf}), files, changed)
	if report.Total != 1 || report.Items[0].ID != "c/e/pipeline" || report.Items[0].Basis != "generated-files" || report.Same != 2 {
		t.Fatalf("%+v", report)
	}
	told := 0
	for _, item := range slices.Concat(report.Items, report.Unchanged) {
		for _, f := range item.Findings {
			if f.Reason == "not-calculated" && strings.Contains(f.Location, "tenant") {
				told++
			}
		}
	}
	if told != 1 {
		t.Errorf("it says %d times why: %+v", told, report)
	}
}
