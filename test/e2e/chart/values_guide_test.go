package chart_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/cli/values"
	"helm.sh/helm/v3/pkg/getter"
)

// Helm merges the values of the guide for its users to what the guide shows as rendered.
func TestValuesOfGuide(t *testing.T) {
	text, err := os.ReadFile("../../../docs/helm.md")
	if err != nil {
		t.Fatal(err)
	}
	page, folder := string(text), t.TempDir()
	save := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	saved := func(name string) string {
		block := regexp.MustCompile("(?s)`shop/" + name + ".yaml`:\n\n```yaml\n(.*?)```").FindStringSubmatch(page)
		if block == nil {
			t.Fatalf("the guide does not save %s", name)
		}
		return save(name+".yaml", block[1])
	}
	merge := func(files ...string) map[string]any {
		merged, err := (&values.Options{ValueFiles: files}).MergeValues(getter.Providers{})
		if err != nil {
			t.Fatal(err)
		}
		return merged
	}
	base := saved("base")
	for _, environment := range []string{"production", "staging"} {
		_, shown, _ := strings.Cut(page, "layering render -f shop --document "+environment+"\n")
		shown, _, _ = strings.Cut(shown, "```")
		got, want := merge(save("rendered.yaml", shown)), merge(base, saved(environment))
		if environment == "staging" { // whose list is merged by a key: Helm keeps the items of the last file
			env, _ := want["extraEnv"].([]any)
			want["extraEnv"] = append(env, merge(base)["extraEnv"].([]any)[1:]...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: Helm merges\n%v\nthe guide shows\n%v", environment, want, got)
		}
	}
}
