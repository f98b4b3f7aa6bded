package rendering_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
)

var update = flag.Bool("update", false, "write what is rendered, refused and explained into the golden files")

// TestGolden compares what documents render to, with warnings and explanations of all values, or the
// errors when they are refused, with the golden file of the same name.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(t, name+".yaml", text)
			golden := strings.TrimSuffix(file, ".yaml") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != got {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func describe(t *testing.T, file string, text []byte) string {
	t.Helper()
	documents, err := rendering.Parse(file, text)
	if err != nil {
		return describeErrors("refused", parts(err))
	}
	rendered, err := rendering.Render(documents, rendering.Options{})
	if err != nil {
		return describeErrors("refused", parts(err))
	}
	var b strings.Builder
	b.WriteString(describeErrors("warning", rendered.Warnings.Kept()))
	for _, r := range rendered.Documents {
		if r.Control {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", r.ID, r.Data().JSON())
		if r.Secret() {
			fmt.Fprintf(&b, "  redacted: %s\n", r.Redacted().JSON())
		}
		explained, err := rendered.Explain(r.ID, ".", false)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range explained {
			fmt.Fprintf(&b, "  %s %s <- %s\n", e.Path, e.Value.JSON(), describeOrigin(e.Origin))
			for _, old := range e.Replaced {
				fmt.Fprintf(&b, "    for %s <- %s\n", old.Value.JSON(), describeOrigin(old.Origin))
			}
		}
	}
	return b.String()
}

func describeOrigin(o rendering.Origin) string {
	text := fmt.Sprintf("%s of %s at %d:%d", o.How, o.Document.Name, o.Line, o.Column)
	if o.Number > 0 {
		text = fmt.Sprintf("%s %d (%s) of %s at %d:%d", o.How, o.Number, o.Path, o.Document.Name, o.Line, o.Column)
	}
	if o.Source != nil {
		text += fmt.Sprintf(" <- %s of %s <- %s", o.Source.Path, o.Source.Document.Name, describeOrigin(o.Source.Origin))
	}
	return text
}

func describeErrors(what string, errs []*dovetail.Error) string {
	var b strings.Builder
	for _, e := range errs {
		id, _ := rendering.DocumentOf(e)
		fmt.Fprintf(&b, "%s: %s: %s: %s [%s; %s]\n", what, e.Reason, e.Position, e.Message, id, e.Remedy)
	}
	return b.String()
}
