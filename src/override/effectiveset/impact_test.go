package effectiveset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	realCluster = "cluster-01"
	realName    = "pl-01"
)

func realInput(overlays ...Overlay) *Input {
	return &Input{Repo: os.DirFS("testdata/pl-01/repo"), SBOMs: os.DirFS("testdata/pl-01/repo/sboms"), Cluster: realCluster, Name: realName, Session: "a-session", Overlays: overlays}
}

// drawOverlay draws parameters for a place of the real environment: names that are there and others, with values of all kinds, macros and credentials among them.
func drawOverlay(t *rapid.T) Overlay {
	over := Overlay{Folder: rapid.SampledFrom([]string{"", "", "core", "monitoring-origin", "pg", "nowhere"}).Draw(t, "folder"),
		Application: rapid.SampledFrom([]string{"", "", "app-a", "MONITORING", "postgres", "other"}).Draw(t, "application"),
		Member:      rapid.SampledFrom([]string{deployMember, deployMember, technicalMember, e2eMember}).Draw(t, "member"),
		Parameters:  value.NewMap(), Sources: make(map[string]string)}
	names := []string{"GATEWAY_URL", "MONITORING_CONFIG", "CLOUD_PUBLIC_HOST", "ENV_TYPE", "NEW", "OTHER", "global", "postgres", "PASSWORD", "DBAAS_AGGREGATOR_PASSWORD", "NAMESPACE", "a.b", "x/y"}
	values := []string{`"text"`, `1`, `12345678901`, `true`, `null`, `[]`, `[1,2]`, `{"a":{"b":1,"c":[{"d":2}]}}`, `{"a":{"b":2}}`, `{}`, `"${NAMESPACE}.x"`, `"${NEW}"`, `"${nothing}"`, `"${creds.get(\"consul-token\").secret}"`}
	for range rapid.IntRange(0, 4).Draw(t, "parameters") {
		name := rapid.SampledFrom(names).Draw(t, "name")
		v, err := value.ParseJSON([]byte(rapid.SampledFrom(values).Draw(t, "value")), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		over.Parameters.Set(name, v)
		over.Sources[name] = "a-paramset.yml"
	}
	return over
}

// flat are the leaves of a value by their pointers; lists are leaves as a whole.
func flat(pointer string, v *value.Value, to map[string]string) {
	if v.Kind == value.Map && len(v.Members) > 0 {
		for _, m := range v.Members {
			flat(pointer+value.Pointer(m.Name), m.Value, to)
		}
		return
	}
	to[pointer] = string(v.JSON())
}

// leavesOf are the leaves of the files of a set that are not those of another.
func leavesOf(t testing.TB, set, other *Set) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for name, text := range set.Files {
		if string(text) == string(other.Files[name]) {
			continue
		}
		values, err := yaml.ParseClassic(name, text, value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(values) > 0 {
			flat(name+"#", values[0], all)
		}
	}
	return all
}

// TestImpactIsTheDifferenceOfSets draws changes of a real environment, and of a small one: what is reported is just what differs between the two sets, leaf by leaf.
func TestImpactIsTheDifferenceOfSets(t *testing.T) {
	repositories, _ := manyEnvironments(t, 1)
	sboms, err := repositories["c/e00000"].Sub("sboms")
	if err != nil {
		t.Fatal(err)
	}
	small := Input{Repo: repositories["c/e00000"], Cluster: "c", Name: "e00000", SBOMs: sboms}
	rapid.Check(t, func(r *rapid.T) {
		of := *realInput()
		if rapid.IntRange(0, 4).Draw(r, "small") > 0 { // most of them, since the real one takes long
			of = small
		}
		before, after := of, of
		before.Overlays, after.Overlays = rapid.SliceOfN(rapid.Custom(drawOverlay), 0, 3).Draw(r, "before"), rapid.SliceOfN(rapid.Custom(drawOverlay), 0, 3).Draw(r, "after")
		was, failed := Calculate(before)
		is, failedAfter := Calculate(after)
		impact, err := Compare(Pair{Before: &before, After: &after})
		if err != nil {
			r.Fatal(err)
		}
		if (failed != nil || failedAfter != nil) != (len(impact.Problems) > 0) {
			r.Fatalf("there are the problems %v, and the sets fail with %v and %v", impact.Problems, failed, failedAfter)
		}
		if failed != nil || failedAfter != nil {
			return
		}
		from, to := leavesOf(t, was, is), leavesOf(t, is, was)
		reported := make(map[string]bool)
		for _, d := range impact.Differences {
			at := d.File + "#" + d.Path
			switch {
			case d.Op == Added && (d.From != nil || to[at] != string(d.To.JSON())) && !inList(to, at),
				d.Op == Removed && (d.To != nil || from[at] != string(d.From.JSON())),
				d.Op == Replaced && !inList(to, at) && (from[at] != string(d.From.JSON()) || to[at] != string(d.To.JSON())):
				r.Errorf("%s %s is reported, and was %q, is %q", d.Op, at, from[at], to[at])
			}
			if value.Equal(d.From, d.To) {
				r.Errorf("%s is reported, and is the same", at)
			}
			for ; at != "" && !reported[at]; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
				reported[at] = true // and all above, which has a difference inside
			}
		}
		names := maps.Clone(from)
		maps.Copy(names, to)
		for at := range names {
			if from[at] != to[at] && !reported[at] {
				r.Errorf("%s was %q, is %q, and is not reported", at, from[at], to[at])
			}
		}
	})
}

// inList reports whether a place is inside of a list, which is a leaf.
func inList(leaves map[string]string, at string) bool {
	for ; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
		if strings.HasPrefix(leaves[at], "[") {
			return true
		}
	}
	return false
}

// TestOrigins names the level that changed values come from.
func TestOrigins(t *testing.T) {
	object := func(text string) *value.Value {
		v, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, test := range []struct {
		name, file, path string
		over             Overlay
		level            Level
		source           string
	}{
		{name: "of the cloud, for all applications", file: "deployment/pg/postgres/values/deployment-parameters.yaml", path: "/NEW", level: LevelCloud, source: "set.yml",
			over: Overlay{Member: deployMember, Parameters: object(`{"NEW":1}`), Sources: map[string]string{"NEW": "set.yml"}}},
		{name: "below global", file: "deployment/pg/postgres/values/deployment-parameters.yaml", path: "/global/NEW/a", level: LevelNamespace, source: "set.yml",
			over: Overlay{Folder: "pg", Member: deployMember, Parameters: object(`{"NEW":{"a":1}}`), Sources: map[string]string{"NEW": "set.yml"}}},
		{name: "of an application", file: "runtime/pg/postgres/parameters.yaml", path: "/NEW", level: LevelApplication, source: "set.yml",
			over: Overlay{Folder: "pg", Application: "postgres", Member: technicalMember, Parameters: object(`{"NEW":1}`), Sources: map[string]string{"NEW": "set.yml"}}},
		{name: "of an application in the environment", file: "runtime/pg/postgres/parameters.yaml", path: "/NEW", level: LevelCloudApplication, source: "environments/cluster-01/pl-01/Applications/postgres.yml",
			over: Overlay{Application: "postgres", Member: technicalMember, Parameters: object(`{"NEW":1}`)}},
		{name: "of the pipeline", file: "pipeline/parameters.yaml", path: "/NEW", level: LevelCloud, source: "set.yml",
			over: Overlay{Member: e2eMember, Parameters: object(`{"NEW":1}`), Sources: map[string]string{"NEW": "set.yml"}}},
		{name: "of the cleanup", file: "cleanup/pg/parameters.yaml", path: "/NEW", level: LevelNamespace, source: "set.yml",
			over: Overlay{Folder: "pg", Member: deployMember, Parameters: object(`{"NEW":1}`), Sources: map[string]string{"NEW": "set.yml"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			impact, err := Compare(Pair{Before: realInput(), After: realInput(test.over)})
			if err != nil || len(impact.Problems) > 0 {
				t.Fatal(err, impact.Problems)
			}
			i := slices.IndexFunc(impact.Differences, func(d Difference) bool { return d.File == test.file && d.Path == test.path })
			if i < 0 {
				t.Fatalf("%s %s is not among %v", test.file, test.path, impact.Differences)
			}
			if d := impact.Differences[i]; d.Op != Added || d.Secret || d.Origin.Level != test.level || d.Origin.Position.File != test.source {
				t.Errorf("%s, secret %t, from %v", d.Op, d.Secret, d.Origin)
			}
		})
	}
}

// TestOverlaysThatNothingReads are named.
func TestOverlaysThatNothingReads(t *testing.T) {
	for _, over := range []Overlay{{Folder: "nowhere", Member: deployMember}, {Application: "other", Member: deployMember}, {Folder: "pg", Member: e2eMember}} {
		over.Parameters = value.NewMap(value.Member{Name: "NEW", Value: str("x")})
		impact, err := Compare(Pair{Before: realInput(), After: realInput(over)})
		if err != nil || len(impact.Differences) > 0 || len(impact.Findings) != 1 || impact.Findings[0].Reason != ParameterUnused {
			t.Errorf("%+v: %v %+v", over, err, impact)
		}
	}
}

// TestSecretsOfAnImpact marks what is a credential.
func TestSecretsOfAnImpact(t *testing.T) {
	for _, test := range []struct {
		file, path string
		secret     bool
	}{
		{"deployment/pg/postgres/values/credentials.yaml", "/A", true},
		{"deployment/pg/postgres/values/collision-credentials.yaml", "/A", true},
		{"pipeline/consumer-credentials.yaml", "/A", true},
		{"topology/credentials.yaml", "/k8s_tokens/ns", true},
		{"cleanup/pg/parameters.yaml", "/DBAAS_AGGREGATOR_PASSWORD", true},
		{"cleanup/pg/parameters.yaml", "/BG_CONTROLLER_PASSWORD", true},
		{"cleanup/pg/parameters.yaml", "/BG_CONTROLLER_URL", false},
		{"deployment/pg/postgres/values/deployment-parameters.yaml", "/global/A", false},
		{"deployment/pg/postgres/values/external-credentials.yaml", "/A", false},
	} {
		if got := isSecretLeaf(test.file, test.path); got != test.secret {
			t.Errorf("%s %s is secret: %t", test.file, test.path, got)
		}
	}
}

// manyEnvironments are copies of the small environment of the cases, each in a repository of its own.
func manyEnvironments(t testing.TB, n int) (map[string]fstest.MapFS, []string) {
	t.Helper()
	read, err := yaml.Parse("cases.yaml", mustRead(t, "testdata/cases.yaml"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := read[0]
	old := "environments/" + text(all.Get("environment")) + "/"
	repositories, names := make(map[string]fstest.MapFS), []string(nil)
	for i := range n {
		name := fmt.Sprintf("c/e%05d", i)
		files := fstest.MapFS{}
		names, repositories[name] = append(names, name), files
		for _, m := range all.Get("base").Members {
			if rest, inside := strings.CutPrefix(m.Name, old); inside {
				files["environments/"+name+"/"+rest] = &fstest.MapFile{Data: []byte(m.Value.Text)}
			} else {
				files[m.Name] = &fstest.MapFile{Data: []byte(m.Value.Text)}
			}
		}
	}
	return repositories, names
}

// TestMeasureImpact counts all environments, and keeps as much as there is room for, in their order.
func TestMeasureImpact(t *testing.T) {
	repositories, names := manyEnvironments(t, 70)
	over := Overlay{Member: deployMember, Parameters: value.NewMap(value.Member{Name: "NEW", Value: str("x")})}
	pairOf := func(_ context.Context, name string) (*Pair, error) {
		switch {
		case strings.HasSuffix(name, "3"):
			return nil, nil
		case strings.HasSuffix(name, "7"):
			return nil, dovetail.Errorf(dovetail.CodeForbidden, "it may not be read")
		}
		cluster, env, _ := strings.Cut(name, "/")
		sboms, err := repositories[name].Sub("sboms")
		if err != nil {
			return nil, err
		}
		in := Input{Repo: repositories[name], Cluster: cluster, Name: env, SBOMs: sboms}
		with := in
		with.Overlays = []Overlay{over}
		return &Pair{Before: &in, After: &with}, nil
	}
	whole, err := (&Measurement{Environments: names, Workers: 4, Limit: 1 << 30, LoadPair: pairOf}).Impact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if whole.Calculated != 63 || whole.Changed != 56 || whole.Failed != 7 || whole.Omitted != 0 || len(whole.Environments) != 63 || whole.Differences < 56 {
		t.Fatalf("%+v", *whole)
	}
	if !slices.IsSortedFunc(whole.Environments, func(a, b EnvironmentImpact) int { return strings.Compare(a.Environment, b.Environment) }) {
		t.Error("the environments are not in their order")
	}
	for _, limit := range []int{1, 50} {
		part, err := (&Measurement{Environments: names, Workers: 4, Limit: limit, LoadPair: pairOf}).Impact(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		for i, e := range part.Environments {
			kept += len(e.Differences) + len(e.Problems) + len(e.Findings)
			if e.Environment != whole.Environments[i].Environment || e.Total != whole.Environments[i].Total {
				t.Errorf("limit %d: %s with %d instead of %s with %d", limit, e.Environment, e.Total, whole.Environments[i].Environment, whole.Environments[i].Total)
			}
		}
		if kept != limit || part.Omitted != whole.Differences+7-limit || part.Differences != whole.Differences || part.Changed != 56 || part.Failed != 7 {
			t.Errorf("limit %d: %d are kept, %d omitted, %d differences", limit, kept, part.Omitted, part.Differences)
		}
	}
	asked := 0
	some, err := (&Measurement{Environments: names, Workers: 4, Limit: 1 << 30, Enough: func() bool { asked++; return asked > 1 }, LoadPair: pairOf}).Impact(t.Context())
	if err != nil || some.Unmeasured != len(names)-portion || some.Calculated != 14 {
		t.Errorf("%v, and of those that were not looked at there are %d: %d were calculated", err, some.Unmeasured, some.Calculated)
	}
	broken := errors.New("broken")
	if _, err := (&Measurement{Environments: names, Workers: 4, Limit: 10, LoadPair: func(context.Context, string) (*Pair, error) { return nil, broken }}).Impact(t.Context()); !errors.Is(err, broken) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Measurement{Environments: names, Workers: 4, Limit: 10, LoadPair: pairOf}).Impact(ended); err == nil {
		t.Error("an ended context has a result")
	}
}

// TestIncompleteSetsAreComparedAsFarAsTheyGo does not take what could not be calculated for removed.
func TestIncompleteSetsAreComparedAsFarAsTheyGo(t *testing.T) {
	over := Overlay{Folder: "pg", Member: deployMember, Parameters: value.NewMap(value.Member{Name: "NEW", Value: str("${nothing}")})}
	impact, err := Compare(Pair{Before: realInput(), After: realInput(over)})
	if err != nil {
		t.Fatal(err)
	}
	if len(impact.Differences) > 0 {
		t.Errorf("it differs in %v", impact.Differences)
	}
	if !slices.ContainsFunc(impact.Problems, func(p Problem) bool { return p.After && !p.Before && strings.Contains(p.Err.Message, "nothing") }) {
		t.Errorf("the problems are %v", impact.Problems)
	}
	same, err := Compare(Pair{Before: realInput(over), After: realInput(over)})
	if err != nil || len(same.Problems) == 0 || slices.ContainsFunc(same.Problems, func(p Problem) bool { return !p.Before || !p.After }) {
		t.Errorf("%v, and the problems are %v", err, same.Problems)
	}
	gone, err := Compare(Pair{Before: realInput()})
	if err != nil || len(gone.Differences) == 0 || slices.ContainsFunc(gone.Differences, func(d Difference) bool { return d.Op != Removed }) {
		t.Errorf("%v, and %d differences", err, len(gone.Differences))
	}
}
