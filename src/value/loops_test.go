package value_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoopsUseIndexes: no loop over the members of a map looks for each of them in another map, or sets each there, one by one, which takes the product of
// the lengths of both. An Index or a Builder takes the sum.
func TestLoopsUseIndexes(t *testing.T) {
	loops := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		for _, of := range []string{"cli", "data/lint", "emco"} { // what these read is of whoever runs them
			if err == nil && entry.IsDir() && path == filepath.Join("..", "internal", of) {
				return fs.SkipDir
			}
		}
		if err != nil || entry.IsDir() || filepath.Base(filepath.Dir(path)) == "schema" || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			function, is := declared.(*ast.FuncDecl)
			if !is || function.Body == nil {
				continue
			}
			indexed := indexesIn(function)
			ast.Inspect(function.Body, func(n ast.Node) bool {
				member := memberOf(n)
				if member == "" {
					return true
				}
				loops++
				ast.Inspect(n.(*ast.RangeStmt).Body, func(n ast.Node) bool {
					if of, searched := searchOf(n, member); searched && !indexed[of] {
						t.Errorf("%s searches a map for each member: use value.IndexOf or value.Builder", files.Position(n.Pos()))
					}
					return true
				})
				return true
			})
		}
		return nil
	})
	if err != nil || loops < 50 {
		t.Errorf("%d loops over members were found: %v", loops, err)
	}
}

// indexesIn are the names in a function that an index or a builder has.
func indexesIn(function *ast.FuncDecl) map[string]bool {
	indexed := make(map[string]bool)
	ast.Inspect(function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, from := range n.Rhs {
				if call, is := from.(*ast.CallExpr); is && i < len(n.Lhs) {
					switch nameOf(call.Fun) {
					case "IndexOf", "BuilderOf":
						indexed[nameOf(n.Lhs[i])] = true
					}
				}
			}
		case *ast.ValueSpec:
			if nameOf(n.Type) == "Builder" {
				for _, name := range n.Names {
					indexed[name.Name] = true
				}
			}
		}
		return true
	})
	return indexed
}

// memberOf is the variable of a loop over all members of a map; "" for anything else.
func memberOf(n ast.Node) string {
	loop, is := n.(*ast.RangeStmt)
	if !is || loop.Value == nil {
		return ""
	}
	if over, is := loop.X.(*ast.SelectorExpr); !is || over.Sel.Name != "Members" {
		return ""
	}
	return nameOf(loop.Value)
}

// searchOf is what a call looks for the name of the member in.
func searchOf(n ast.Node, member string) (of string, searched bool) {
	call, is := n.(*ast.CallExpr)
	if !is || len(call.Args) == 0 {
		return "", false
	}
	method, is := call.Fun.(*ast.SelectorExpr)
	if !is || method.Sel.Name != "Get" && method.Sel.Name != "Set" && method.Sel.Name != "Delete" {
		return "", false
	}
	name, is := call.Args[0].(*ast.SelectorExpr)
	return nameOf(method.X), is && name.Sel.Name == "Name" && nameOf(name.X) == member
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
