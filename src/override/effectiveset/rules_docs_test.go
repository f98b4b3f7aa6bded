package effectiveset

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// packagesOfRules are where the tests are that the table of rules names with a package.
var packagesOfRules = map[string]string{"": ".", "yaml": "../../internal/data/yaml", "cli": "../../internal/cli", "ciphertext": "../../internal/secret/ciphertext", "sops": "../../internal/secret/sops", "instancerepo": "../../internal/git/instancerepo", "override": ".."}

// TestRulesOfDocumentation: each rule of the documentation names tests, and these exist.
func TestRulesOfDocumentation(t *testing.T) {
	known := make(map[string]map[string]bool)
	for name, folder := range packagesOfRules {
		known[name] = testsIn(t, folder)
	}
	for _, line := range strings.Split(string(mustRead(t, "testdata/cases.yaml")), "\n") {
		if name, is := strings.CutPrefix(line, "- name: "); is {
			known[""]["TestCases/"+name] = true
		}
	}
	test := regexp.MustCompile("`(?:([a-z]+)\\.)?(Test[^`]+)`")
	rules := 0
	for _, line := range strings.Split(string(mustRead(t, "../../../docs/effective-set-rules.md")), "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || cells[1] == "Test |" {
			continue
		}
		rules++
		named := test.FindAllStringSubmatch(cells[1], -1)
		if len(named) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, m := range named {
			if !known[m[1]][m[2]] {
				t.Errorf("there is no test %s %s", m[1], m[2])
			}
		}
	}
	if rules < 90 {
		t.Errorf("%d rules", rules)
	}
}

// testsIn are the tests of a package, and, with their texts, what may be tests in these.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has %d tests, %v", folder, len(files), err)
	}
	known := make(map[string]bool)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			function, is := d.(*ast.FuncDecl)
			if !is || !strings.HasPrefix(function.Name.Name, "Test") {
				continue
			}
			known[function.Name.Name] = true
			ast.Inspect(function, func(n ast.Node) bool {
				if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
					if text, err := strconv.Unquote(literal.Value); err == nil {
						known[function.Name.Name+"/"+text] = true
					}
				}
				return true
			})
		}
	}
	return known
}
