package effectiveset

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The files of the set that rules are examined in.
const (
	plainFile  = "deployment/core/app-a/values/deployment-parameters.yaml"
	hiddenFile = "deployment/core/app-a/values/credentials.yaml"
	techFile   = "runtime/core/app-a/parameters.yaml"
	gonePlain  = "cleanup/core/parameters.yaml"
	goneSecret = "cleanup/core/credentials.yaml"
	pipePlain  = "pipeline/parameters.yaml"
	topoPlain  = "topology/parameters.yaml"
	topoSecret = "topology/credentials.yaml"

	envFolder = "environments/c1/e1/"
	sdFile    = envFolder + "Inventory/solution-descriptor/sd.yaml"
	sbomFile  = "sboms/app-a/app-a-1.0.sbom.json"
)

// ruleCase is a change of the repository that the cases have in common, and what follows from it.
type ruleCase struct {
	name  string
	files map[string]string // put over it; "" takes one away
	edits []edit
	with  func(t *testing.T, in *Input)

	want    map[string][]string // lines of files, several with newlines; "" for an empty file
	not     map[string][]string // what they do not have
	missing []string            // files that are not made
	finds   Reason
	fails   string // a part of the errors
}

// edit replaces a text of a file.
type edit struct{ file, from, to string }

func runRules(t *testing.T, cases []ruleCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, files := base(t)
			for name, text := range tt.files {
				delete(files, name)
				if text != "" {
					files[name] = &fstest.MapFile{Data: []byte(text)}
				}
			}
			for _, e := range tt.edits {
				text := strings.Replace(string(files[e.file].Data), e.from, e.to, 1)
				if text == string(files[e.file].Data) {
					t.Fatalf("%s has no %q", e.file, e.from)
				}
				files[e.file] = &fstest.MapFile{Data: []byte(text)}
			}
			if tt.with != nil {
				tt.with(t, &in)
			}
			set, err := Calculate(in)
			if tt.fails != "" || err != nil {
				if err == nil || tt.fails == "" || !strings.Contains(everythingOf(err), tt.fails) {
					t.Fatalf("%v, want an error with %q", allOf(err), tt.fails)
				}
			}
			tt.check(t, set)
		})
	}
}

func (tt *ruleCase) check(t *testing.T, set *Set) {
	t.Helper()
	has := func(name, lines string) bool { return strings.Contains("\n"+string(set.Files[name]), "\n"+lines+"\n") }
	for name, all := range tt.want {
		for _, lines := range all {
			if text, made := set.Files[name]; lines == "" && (!made || len(text) > 0) || lines != "" && !has(name, lines) {
				t.Errorf("%s has no\n%s\nbut\n%s", name, lines, set.Files[name])
			}
		}
	}
	for name, all := range tt.not {
		if _, made := set.Files[name]; !made {
			t.Errorf("%s was not made", name)
		}
		for _, text := range all {
			if strings.Contains("\n"+string(set.Files[name]), text) {
				t.Errorf("%s has %q:\n%s", name, text, set.Files[name])
			}
		}
	}
	for _, name := range tt.missing {
		if _, made := set.Files[name]; made {
			t.Errorf("%s was made", name)
		}
	}
	if tt.finds != "" && !slices.ContainsFunc(set.Findings, func(f Finding) bool { return f.Reason == tt.finds }) {
		t.Errorf("there is no finding %s among %v", tt.finds, set.Findings)
	}
}

// namespaceWith is a namespace file with parameters, a line each.
func namespaceWith(lines ...string) string { return string(withParameters(lines...).Data) }

// custom are custom parameters, of JSON.
func custom(text string) func(t *testing.T, in *Input) {
	return func(t *testing.T, in *Input) {
		t.Helper()
		in.Custom = mustJSON(t, text)
	}
}
