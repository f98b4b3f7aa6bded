// Command report renders results of the benchmarks into a Markdown file, between the comments that mark the
// tables' places: go run ./report -doc ../../docs/benchmarks.md <results
//
// A table whose benchmarks are not among the results stays as it is.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	doc := flag.String("doc", "", "the Markdown file to rewrite")
	flag.Parse()
	if err := run(*doc, os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(doc string, results io.Reader) error {
	read, err := parse(results)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	rendered := string(text)
	for _, table := range tables {
		if rows := table.render(read); rows != "" {
			if rendered, err = replace(rendered, table.place, rows); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(doc, []byte(rendered), 0o644)
}
