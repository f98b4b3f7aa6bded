// Measure prints the figures of the source tree that must not get worse: how much there is, packages and types that are too large to
// know, long lines, and phrases that are not plain English.
//
//	go run ./test/measure           print them
//	go run ./test/measure --check   fail if one is above its ceiling in test/measure/ceilings.txt
//	go run ./test/measure --write   lower the ceilings to the figures of today
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

const ceilings = "test/measure/ceilings.txt"

func main() {
	if err := run(os.DirFS("."), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(tree fs.FS, args []string) error {
	figures, err := measure(tree)
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(tree, ceilings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known := parse(string(text))
	switch {
	case slices.Contains(args, "--check"):
		return check(figures, known)
	case slices.Contains(args, "--write"):
		return os.WriteFile(ceilings, []byte(lowered(figures, known)), 0o600)
	}
	fmt.Print(format(figures))
	return nil
}

// parse reads lines of a name and a number.
func parse(text string) map[string]int {
	figures := make(map[string]int)
	for line := range strings.Lines(text) {
		name, number, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if n, err := strconv.Atoi(number); ok && err == nil {
			figures[name] = n
		}
	}
	return figures
}

func format(figures map[string]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		fmt.Fprintf(&b, "%s: %d\n", name, figures[name])
	}
	return b.String()
}

// check returns an error that names each figure above its ceiling. A figure without a ceiling must be zero.
func check(figures, known map[string]int) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		if figures[name] > known[name] {
			errs = append(errs, fmt.Errorf("%s is %d, more than %d", name, figures[name], known[name]))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New("make it smaller; "+ceilings+" may only fall"))
	}
	return errors.Join(errs...)
}

// lowered returns the ceilings that hold for figures, none higher than it was.
func lowered(figures, known map[string]int) string {
	next := make(map[string]int)
	for name, n := range figures {
		if before, ok := known[name]; ok || len(known) > 0 {
			n = min(n, before)
		}
		if n > 0 {
			next[name] = n
		}
	}
	return format(next)
}

// measure walks the source.
func measure(tree fs.FS) (map[string]int, error) {
	figures := make(map[string]int)
	files := make(map[string]int)   // of packages, without tests
	methods := make(map[string]int) // exported ones of types
	for _, root := range []string{"src", "test", "docs"} {
		err := fs.WalkDir(tree, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if slices.Contains([]string{"testdata", "node_modules", "dist"}, entry.Name()) {
					return fs.SkipDir
				}
				return nil
			}
			text, err := source(tree, name)
			if err != nil || text == "" {
				return err
			}
			if n := countPhrases(name, text); n > 0 {
				figures["private phrases"] += n
				figures["private phrases in "+folderOf(name)] += n
			}
			if path.Ext(name) != ".go" {
				return nil
			}
			return countGo(name, text, figures, files, methods)
		})
		if err != nil {
			return nil, err
		}
	}
	for folder, n := range files {
		if n > maxFiles {
			figures["files of "+folder] = n
		}
		if !strings.Contains(folder, "internal") && strings.HasPrefix(folder, "src/") {
			figures["public packages"]++
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			figures["methods of "+name] = n
		}
	}
	return figures, nil
}

// source returns the text of a file that people write, "" for others.
func source(tree fs.FS, name string) (string, error) {
	if !slices.Contains([]string{".go", ".md", ".ts", ".tsx"}, path.Ext(name)) || strings.HasSuffix(name, ".d.ts") {
		return "", nil
	}
	text, err := fs.ReadFile(tree, name)
	if strings.Contains(string(text[:min(len(text), 300)]), "Code generated") {
		return "", nil
	}
	return string(text), err
}

// folderOf returns the package of a file, or the folder of a page.
func folderOf(name string) string {
	folder := path.Dir(name)
	if at := strings.Index(folder, "/web/ui"); at >= 0 {
		return folder[:at+len("/web/ui")]
	}
	return folder
}
