package embedded_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every snippet of the guide is part of an example, and the guide names every public package.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	var examples strings.Builder
	for _, name := range []string{"example_test.go", "../client/example_test.go", "../store/storetest/example_test.go"} {
		code, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples.WriteString(unindented(string(code)))
	}
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(guide, -1)
	if len(snippets) < 15 {
		t.Errorf("%d snippets", len(snippets))
	}
	for _, snippet := range snippets {
		if !strings.Contains(examples.String(), unindented(snippet[1])) {
			t.Errorf("no example has\n%s", snippet[1])
		}
	}
	for _, name := range publicPackages {
		if !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("%s is not named", name)
		}
	}
}

// unindented returns the lines without white space at their beginnings, and without empty lines.
func unindented(text string) string {
	return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString("\n"+text, "")
}
