package sd_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestRefusals merges SDs that break several rules: all of them are reported at once. A file holds
// the mode in its first line, then the full SD, a line with ===, and the delta; or one SD to check.
func TestRefusals(t *testing.T) {
	files, err := filepath.Glob("testdata/refusals/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, rest, _ := strings.Cut(string(text), "\n")
			mode, err := sd.ParseMode(strings.TrimPrefix(first, "# "))
			if err != nil {
				t.Fatal(err)
			}
			var sds []*sd.Descriptor
			for i, part := range strings.Split(rest, "===\n") {
				descr, parseErr := sd.Parse([]string{"full.yaml", "delta.yaml", "third.yaml"}[i], []byte(part))
				if parseErr != nil {
					err = parseErr
				}
				sds = append(sds, descr)
			}
			if err == nil {
				_, err = sd.Fold(mode, sds...)
			}
			if err == nil {
				t.Fatal("no error")
			}
			var got strings.Builder
			for _, part := range parts(err) {
				got.WriteString(part.Reason + " " + part.Error() + "\n")
			}
			golden := strings.TrimSuffix(file, ".yaml") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || got.String() != string(want) {
				t.Errorf("got\n%swant\n%s%v", &got, want, err)
			}
		})
	}
}

// Of very many errors the first hundred are reported.
func TestManyErrors(t *testing.T) {
	descr, err := sd.Parse("sd.json", []byte(`{"applications":[`+strings.Repeat("1,", 1000)+`1]}`))
	if err != nil {
		t.Fatal(err)
	}
	err = descr.Check(sd.BasicMerge)
	all := parts(err)
	if len(all) != 100 || all[99].Position.Path != "/applications/99" || dovetail.AsError(err).Total != 1001 {
		t.Errorf("%d errors, at last %v", len(all), all[len(all)-1])
	}
}

// SDs from a store have no lines, but paths.
func TestErrorsWithoutLines(t *testing.T) {
	descr, err := sd.Parse("", []byte(`{"applications":[{"version":"a:1","deployPostfix":"x"},{"version":"a:1","deployPostfix":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := sd.New(dovetail.Position{File: "stored", Path: "/spec"}, descr.Value().Unplaced())
	if err != nil {
		t.Fatal(err)
	}
	const want = "stored /spec/applications/1: the application a (deployPostfix x) is a duplicate, first at stored /spec/applications/0; remove one of the two"
	if got := stored.Check(sd.BasicMerge); got == nil || got.Error() != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
