package embedded_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dovetail-store/dovetail"

// publicPackages are those that programs of others may import, below module/src. A signature of one of them mentions only types of
// these packages, of the standard library, and of publicDependencies.
var publicPackages = []string{
	"dovetail", "value", "selector", "schema", // documents, data, and what they are checked and found by
	"api",                                    // the bodies of the REST API
	"store", "store/storetest", "store/bolt", // the engine, the suite for backends, and one to wrap
	"embedded", "client", // the entry points
}

// TestPublicAPI fails when an exported signature, field, alias or method mentions a type that others cannot import.
func TestPublicAPI(t *testing.T) {
	t.Parallel()
	public := make(map[string]bool)
	for _, name := range publicPackages {
		public[module+"/src/"+name] = true
	}
	exports := exportData(t)
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path].Export == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(exports[path].Export)
	})
	for _, name := range publicPackages {
		pkg, err := imports.Import(module + "/src/" + name)
		if err != nil {
			t.Fatal(err)
		}
		leaks := findLeaks(pkg, func(path string) bool { return public[path] || exports[path].Standard })
		for _, leak := range leaks {
			t.Error(leak)
		}
		if len(pkg.Scope().Names()) == 0 {
			t.Errorf("%s exports nothing", name)
		}
	}
}

// listed is a package as `go list` describes it.
type listed struct {
	ImportPath, Export string
	Standard           bool
}

// exportData returns the public packages with all that they depend on, by import path.
func exportData(t *testing.T) map[string]listed {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,Standard"}
	for _, name := range publicPackages {
		args = append(args, module+"/src/"+name)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]listed)
	for decoder := json.NewDecoder(strings.NewReader(string(text))); ; {
		var one listed
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[one.ImportPath] = one
	}
}

// findLeaks returns where what a package exports mentions types of packages that are not allowed.
func findLeaks(pkg *types.Package, allowed func(path string) bool) []string {
	l := leaks{pkg: pkg, allowed: allowed, seen: make(map[types.Type]bool)}
	for _, name := range pkg.Scope().Names() {
		if object := pkg.Scope().Lookup(name); object.Exported() {
			l.walk(pkg.Path()+"."+name, object.Type())
		}
	}
	slices.Sort(l.found)
	return slices.Compact(l.found)
}

type leaks struct {
	pkg     *types.Package
	allowed func(path string) bool
	seen    map[types.Type]bool // types of the package that were looked into
	found   []string
}

// name looks at a type that has a name: one of the package itself is looked into, one of another package must be allowed.
func (l *leaks) name(at string, name *types.TypeName, t types.Type) {
	switch {
	case name.Pkg() == nil: // of the universe: error
	case name.Pkg() != l.pkg:
		if !l.allowed(name.Pkg().Path()) {
			l.found = append(l.found, at+" mentions "+name.Pkg().Path()+"."+name.Name())
		}
	case !l.seen[t] && !name.IsAlias():
		l.seen[t] = true
		l.inside(at, t)
	}
}

// inside looks at what a type of the package shows: its fields, and its methods, those of embedded fields too.
func (l *leaks) inside(at string, t types.Type) {
	l.walk(at, t.Underlying())
	methods := types.NewMethodSet(types.NewPointer(t))
	for i := range methods.Len() {
		if method := methods.At(i).Obj(); method.Exported() {
			l.walk(at+"."+method.Name(), method.Type())
		}
	}
}

func (l *leaks) walk(at string, t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		l.name(at, t.Obj(), t)
		l.all(at, t.TypeArgs())
		if t.Obj().Pkg() == l.pkg {
			l.walk(at, types.Unalias(t))
		}
	case *types.Named:
		l.name(at, t.Obj(), t)
		l.all(at, t.TypeArgs())
	case *types.Pointer:
		l.walk(at, t.Elem())
	case *types.Slice:
		l.walk(at, t.Elem())
	case *types.Array:
		l.walk(at, t.Elem())
	case *types.Chan:
		l.walk(at, t.Elem())
	case *types.Map:
		l.walk(at, t.Key())
		l.walk(at, t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			l.walk(at, v.Type())
		}
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			l.walk(at, p.Constraint())
		}
		l.walk(at, t.Params())
		l.walk(at, t.Results())
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() {
				l.walk(at+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for embedded := range t.EmbeddedTypes() {
			l.walk(at, embedded)
		}
		for method := range t.ExplicitMethods() {
			if method.Exported() {
				l.walk(at+"."+method.Name(), method.Type())
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			l.walk(at, term.Type())
		}
	}
}

func (l *leaks) all(at string, list *types.TypeList) {
	for t := range list.Types() {
		l.walk(at, t)
	}
}

// A leak is found wherever it is.
func TestFindLeaks(t *testing.T) {
	const hidden = "package hidden\ntype T struct{}\nfunc (T) Do() T { return T{} }"
	tests := []struct{ name, code, want string }{
		{name: "a parameter", code: "func F(hidden.T) {}", want: "F"},
		{name: "a result", code: "func F() (int, map[string][]*hidden.T) { return 0, nil }", want: "F"},
		{name: "a variable", code: "var V hidden.T", want: "V"},
		{name: "a field", code: "type S struct{ F chan hidden.T }", want: "S.F"},
		{name: "an embedded field", code: "type S struct{ hidden.T }", want: "S.T"},
		{name: "a method", code: "type S struct{}\nfunc (*S) M(func([2]hidden.T)) {}", want: "S.M"},
		{name: "a method of an interface", code: "type I interface{ M(hidden.T) }", want: "I.M"},
		{name: "an alias", code: "type A = hidden.T", want: "A"},
		{name: "an alias that is not exported", code: "type a = hidden.T\nvar V a", want: "V"},
		{name: "a constraint", code: "func F[P interface{ ~int | hidden.T }](P) {}", want: "F"},
		{name: "a type argument", code: "type G[P any] struct{}\nvar V G[hidden.T]", want: "V"},
		{name: "a field of a type that is not exported", code: "type s struct{ F hidden.T }\nvar V s", want: "V.F"},
		{name: "a method that comes from an embedded field", code: "type s struct{ hidden.T }\nfunc (s) Do(hidden.T) {}\ntype S struct{ s }", want: "S.Do"},
		{name: "nothing", code: "type S struct{ f hidden.T }\nfunc (s S) m() hidden.T { return s.f }\nvar v hidden.T\nfunc F(S) {}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inner := check(t, "hidden", hidden, nil)
			pkg := check(t, "p", "package p\nimport \"hidden\"\nvar _ hidden.T\n"+test.code, inner)
			found := findLeaks(pkg, func(string) bool { return false })
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.Contains(found, "p."+test.want+" mentions hidden.T") {
				t.Errorf("found %q", found)
			}
		})
	}
}

// check type-checks a package of one file, which may import another one.
func check(t *testing.T, path, code string, imported *types.Package) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path+".go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importerFunc(func(string) (*types.Package, error) { return imported, nil })}
	pkg, err := config.Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
