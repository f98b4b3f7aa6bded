package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "testdata/*/*.yaml", "testdata/emco/*/*.yaml", "testdata/emco/schema-cases/*/*.yaml", example + "/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			if len(data) < 5_000 {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		sources := []schema.Source{{Name: "fuzz.yaml", Data: data}}
		model, err := schema.Compile(sources)
		if err != nil {
			if _, again := schema.Compile(sources); again == nil || again.Error() != err.Error() {
				t.Errorf("first %v, then %v", err, again)
			}
			for _, part := range parts(err) {
				if part.Code != dovetail.CodeSchema || schema.FaultOf(part) == "" || part.Position.File == "" || part.Position.Line == 0 {
					t.Errorf("incomplete error %+v", part)
				}
			}
			return
		}
		aggregate, err := schema.Aggregate(sources)
		if err != nil {
			t.Fatal(err)
		}
		again, err := schema.Compile([]schema.Source{{Name: "aggregate.yaml", Data: aggregate}})
		if err != nil {
			t.Fatalf("the aggregate does not compile: %v\n%s", err, aggregate)
		}
		if differences := schema.Diff(model, again); again.Hash() != model.Hash() || len(differences) > 0 {
			t.Errorf("the aggregate means something else: %v\n%s", differences, aggregate)
		}
		checkModel(t, model)
	})
}

// checkModel checks what holds for every model.
func checkModel(t *testing.T, model *schema.Model) {
	t.Helper()
	places := map[string]string{}
	for _, k := range model.Kinds() {
		values := make([]string, len(k.Elements))
		for i := range values {
			values[i] = "v"
		}
		id, err := k.ID(values...)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := model.KindOf(id); err != nil || found != k {
			t.Errorf("%s is of kind %v, want %s (%v)", id, found, k.Name, err)
		}
		if parent := k.ParentID(id); parent != "" && !id.IsDescendantOf(parent) {
			t.Errorf("the parent of %s is %s", id, parent)
		}
		if len(k.Routes()) == 0 {
			t.Errorf("%s is served nowhere", k.Name)
		}
		if k.Abstract {
			continue
		}
		for _, r := range k.Routes() {
			if other := places[r.Path]; other != "" {
				t.Errorf("%s and %s are both served at %s", other, k.Name, r.Path)
			}
			places[r.Path] = k.Name
		}
		data := value.NewMap(value.Member{Name: "spec", Value: value.NewMap()})
		k.Extract(id, data)
		k.Validate(data)
		k.Describe()
	}
}

func FuzzExtract(f *testing.F) {
	var kinds []*schema.Kind
	for _, file := range []string{"rules.yaml", "datacentre.yaml"} { // without slots, and with them
		for _, k := range compile(f, readText(f, file)).Kinds() {
			if k.References != nil {
				kinds = append(kinds, k)
			}
		}
	}
	for i := range kinds {
		for _, data := range []string{
			`{"spec":{"provider":"p","cluster":"c","cloud":"l","app":"a","version":"v1","part":"x","controller":"k"}}`,
			`{"spec":{"l":[{"provider":"p","cluster":"c1"},{"provider":"p","cluster":"c1"},{"cluster":"all","provider":"q"}],"name":"n"}}`,
			`{"spec":{"intent":{"a":1,"builtin":2,"":3},"clouds":{"c":{},"..":{}},"target":"t","self":"s"}}`,
			`{"spec":{"target":"a/b c","x":"ü","y":"%2F"}}`,
			`{"metadata":{"name":"n"}}`, `{"spec":[]}`, `{"spec":"x"}`, `{"spec":{"target":"none"}}`, placement, group,
			`{"spec":{"a":{"rack":"r1","device":"d1","port":"p1"},"b":{"site":"s","rack":"r2","device":"d2","port":"p1"},"ends":[{"rack":"r","device":"d","port":"p"},null]}}`,
			`{"spec":{"to":{"cabinet":"r","dev":"d"},"vlan":"none","members":{"x":null,"a/~b":{"site":"s"}},"tagged vlans":["v",{"vlan":"v"}]}}`,
		} {
			f.Add(uint8(i), data)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		data, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return
		}
		kind := kinds[int(which)%len(kinds)]
		checkExtraction(t, kind, data)
	})
}

// checkExtraction checks what holds for the references in any data, and returns them.
func checkExtraction(t testing.TB, kind *schema.Kind, data *value.Value) []schema.Candidate {
	t.Helper()
	id := ownID(t, kind)
	before := data.Clone()
	found := kind.Extract(id, data)
	if again := kind.Extract(id, data); !slices.EqualFunc(found, again, sameCandidate) {
		t.Errorf("extracted again: %v, first %v", again, found)
	}
	if !value.Equal(data, before) {
		t.Errorf("the data has become %s", data.JSON())
	}
	checkTrace(t, kind, id, data, found)
	last := -1
	for i, c := range found {
		rule := slices.Index(kind.References, c.Rule)
		if rule < last {
			t.Errorf("candidate %d is of rule %d, after one of %d", i, rule, last)
		}
		if rule == last && !ascending(found[i-1].Targets, c.Targets) {
			t.Errorf("candidates of one rule are not in order: %v, %v", found[i-1].Targets, c.Targets)
		}
		last = rule
		if len(c.Targets) == 0 || len(c.Targets) > 1 && len(c.Rule.To) == 1 {
			t.Errorf("%d targets for %d kinds", len(c.Targets), len(c.Rule.To))
		}
		if (c.Place != "") != (c.Rule.Slot() != "") {
			t.Errorf("candidate %d is at %q, its rule looks at %q", i, c.Place, c.Rule.Slot())
		}
		if _, there := data.Find(c.Place); !there {
			t.Errorf("candidate %d is at %s, which is not in the data", i, c.Place)
		}
		for _, target := range c.Targets {
			checkTarget(t, c, target)
		}
	}
	return found
}

func checkTarget(t testing.TB, c schema.Candidate, target dovetail.Reference) {
	t.Helper()
	at := slices.IndexFunc(c.Rule.To, func(k *schema.Kind) bool { return k.Name == target.Kind })
	if at < 0 {
		t.Fatalf("%s is of kind %s, which the rule does not name", target.ID, target.Kind)
	}
	key := target.ID.Key()
	if !slices.Equal(key.Names(), c.Rule.To[at].Elements) {
		t.Errorf("the key %v is none of %s", key, target.Kind)
	}
	valid := true
	for _, e := range key {
		if e.Value == "" {
			t.Errorf("%s: the element %s is empty", target.ID, e.Name)
		}
		valid = valid && dovetail.CheckValue(e.Value) == ""
	}
	if _, err := dovetail.ParseID(string(target.ID)); (err == nil) != valid {
		t.Errorf("%s: canonical is %v, its values are valid: %v", target.ID, err, valid)
	}
	if target.Weak != c.Rule.Weak || target.Cascade != c.Rule.Cascade {
		t.Errorf("%s does not say what its rule says", target.ID)
	}
}

func ownID(t testing.TB, kind *schema.Kind) dovetail.ID {
	t.Helper()
	values := make([]string, len(kind.Elements))
	for i, name := range kind.Elements {
		values[i] = "own " + name
	}
	id, err := kind.ID(values...)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func sameCandidate(a, b schema.Candidate) bool {
	return a.Rule == b.Rule && slices.Equal(a.Targets, b.Targets)
}

func ascending(a, b []dovetail.Reference) bool {
	return slices.CompareFunc(a, b, func(x, y dovetail.Reference) int {
		switch {
		case x.ID < y.ID:
			return -1
		case x.ID > y.ID:
			return 1
		}
		return 0
	}) < 0
}
