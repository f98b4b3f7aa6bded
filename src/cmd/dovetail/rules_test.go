package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// repository is the root of the working tree.
const repository = "../../.."

// importRule is a rule of depguard in .golangci.yml.
type importRule struct {
	name         string
	files, allow []string
}

func importRules(t *testing.T) (rules []importRule) {
	t.Helper()
	text, err := os.ReadFile(repository + "/.golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := yaml.Parse(".golangci.yml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := documents[0].At("linters", "settings", "depguard", "rules")
	if all == nil {
		t.Fatal("depguard has no rules")
	}
	texts := func(list *value.Value) (texts []string) {
		if list != nil {
			for _, item := range list.Items {
				texts = append(texts, item.Text)
			}
		}
		return texts
	}
	for _, m := range all.Members {
		rules = append(rules, importRule{m.Name, texts(m.Value.Get("files")), texts(m.Value.Get("allow"))})
	}
	return rules
}

// packages are the folders with Go code other than tests, by their paths in the repository.
func packages(t *testing.T, folders ...string) (found []string) {
	t.Helper()
	for _, folder := range folders {
		err := fs.WalkDir(os.DirFS(repository), folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if dir := path.Dir(name); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !slices.Contains(found, dir) {
				found = append(found, dir)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// glob compiles a pattern of depguard: ** is any path, * any name.
func glob(pattern string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*").Replace(regexp.QuoteMeta(pattern)) + "$")
}

// TestImportRules checks that depguard has a rule of its own for every package, and that no rule is about a
// package that does not exist.
func TestImportRules(t *testing.T) {
	const module = "github.com/dovetail-store/dovetail/"
	all := packages(t, "src", "ref-schemas")
	if len(all) < 40 {
		t.Fatalf("only %d packages found", len(all))
	}
	ruled := make(map[string]string)
	for _, rule := range importRules(t) {
		for _, allowed := range rule.allow {
			if dir, ours := strings.CutPrefix(strings.TrimRight(allowed, "$/"), module); ours && !slices.Contains(all, dir) {
				t.Errorf("rule %s allows %s, which is no package", rule.name, dir)
			}
		}
		for _, pattern := range rule.files {
			if pattern == "$all" {
				break // a rule for all packages except those that it names
			}
			if strings.HasPrefix(pattern, "!") {
				continue
			}
			matches := glob(pattern)
			matched := false
			for _, dir := range all {
				if matches.MatchString("/" + dir + "/file.go") {
					ruled[dir], matched = rule.name, true
				}
			}
			if !matched {
				t.Errorf("rule %s is about %s, which is no package", rule.name, pattern)
			}
		}
	}
	for _, dir := range all {
		if ruled[dir] == "" {
			t.Errorf("%s has no rule in .golangci.yml: say what it may import", dir)
		}
	}
}
