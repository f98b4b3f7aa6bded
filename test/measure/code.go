package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"unicode/utf8"
)

const (
	maxFiles   = 40  // of a package
	maxMethods = 25  // exported ones of a type
	maxColumns = 120 // of a line, with a tab as four
)

// isKit reports whether a package is for tests only.
func isKit(folder string) bool {
	return strings.Contains(folder, "internal/testkit") || strings.HasSuffix(folder, "test") || strings.HasSuffix(folder, "simulation")
}

// countGo counts lines, files and exported methods of a Go file.
func countGo(name, text string, figures, files, methods map[string]int) error {
	folder := path.Dir(name)
	lines := strings.Count(text, "\n")
	switch {
	case !strings.HasPrefix(name, "src/"):
		figures["lines of test modules"] += lines
		return nil
	case strings.HasSuffix(name, "_test.go"), isKit(folder), strings.HasPrefix(name, "src/test/"):
		figures["lines of tests"] += lines
		return nil
	}
	figures["lines of the product"] += lines
	files[folder]++
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")) > maxColumns {
			figures["long lines"]++
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declared := range file.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() {
			methods[path.Base(folder)+"."+receiver(f.Recv.List[0].Type)]++
		}
	}
	return nil
}

// receiver returns the name of the type of a receiver.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
