package matrix

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("update", false, "write the lists of the matrix into the documentation")

// TestDocumentation has the lists of the matrix in the documentation as they are.
func TestDocumentation(t *testing.T) {
	for _, part := range []struct{ file, name, text string }{
		{"architecture.md", "ways", "A document is changed by: " + strings.Join(wayNames(), ",\n") + ".\n"},
		{"architecture.md", "promises", "Promises: " + strings.Join(promises(), ", ") + ".\n"},
		{"architecture.md", "exceptions", reasonTable(".*")},
		{"security.md", "exceptions", reasonTable("rights.*|managed.*|protection.*")},
	} {
		path := "../../../docs/" + part.file
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, begins := strings.Cut(string(content), "<!-- "+part.name+" -->\n")
		was, after, ends := strings.Cut(rest, "<!-- /"+part.name+" -->\n")
		switch {
		case !begins || !ends:
			t.Errorf("%s has no part %s", part.file, part.name)
		case was != part.text && *rewrite:
			whole := before + "<!-- " + part.name + " -->\n" + part.text + "<!-- /" + part.name + " -->\n" + after
			if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
				t.Fatal(err)
			}
		case was != part.text:
			t.Errorf("%s is out of date: run go test ./src/test/matrix -run TestDocumentation -update\n%s", part.file, part.text)
		}
	}
}

func wayNames() (names []string) {
	for _, way := range ways {
		names = append(names, way.name)
	}
	return names
}

// reasonTable is a table of the reasons why there is nothing to test of a way, or of a route, for the promises of a pattern.
func reasonTable(of string) string {
	rows := make(map[string][]string) // by reason: what it is of
	var order []string
	add := func(why, place string) {
		if rows[why] == nil {
			order = append(order, why)
		}
		if !slices.Contains(rows[why], place) {
			rows[why] = append(rows[why], place)
		}
	}
	for _, p := range pairs {
		if matches(of, p.promise) {
			add(p.why, p.way+": "+p.promise)
		}
	}
	for _, e := range exceptions {
		if matches(of, e.promises) || e.promises == ".*" {
			add(e.why, fmt.Sprintf("%s: %s", e.routes, e.promises))
		}
	}
	var b strings.Builder
	b.WriteString("| way or route, and promise | why there is nothing to test |\n| --- | --- |\n")
	for _, why := range order {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(strings.Join(rows[why], "`, `"), "|", "\\|"), why)
	}
	return b.String()
}
