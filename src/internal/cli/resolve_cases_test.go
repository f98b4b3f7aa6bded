package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/value"
)

// TestResolveCases runs the conformance cases of resolutions from the command line, as text and as JSON.
func TestResolveCases(t *testing.T) {
	files, err := filepath.Glob("../../resolution/solver/testdata/deppy/cases/*.yaml")
	if err != nil || len(files) != 85 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expected := parseLayered(t, source)[0].Get("expected")
			text, said, code := runCommand(t.Context(), t, cli.Deps{}, "dovetail resolve -f "+file)
			data, _, codeOfJSON := runCommand(t.Context(), t, cli.Deps{}, "dovetail resolve -o json -f "+file)
			got, err := value.ParseJSON([]byte(data), value.Limits{})
			if err != nil || len(got.Members) != 1 {
				t.Fatalf("%v: %s", err, data)
			}
			want := expected.Members[0] // selections, unsat or error
			if wantCode := map[string]int{"selections": 0, "unsat": 2, "error": 1}[want.Name]; code != wantCode || codeOfJSON != wantCode {
				t.Errorf("exit codes %d and %d, want %d", code, codeOfJSON, wantCode)
			}
			if want.Name == "unsat" {
				checkUnsat(t, got.Get("unsat"), want.Value, said)
			} else if !value.Equal(got.Get(want.Name), want.Value) {
				t.Errorf("got %s, want %s", data, expected.JSON())
			}
			var lines []string
			if want.Name == "selections" {
				for _, item := range want.Value.Items {
					lines = append(lines, item.Text+"\n")
				}
			}
			if text != strings.Join(lines, "") || (said == "") != (code == 0) {
				t.Errorf("it writes\n%s\nand says\n%s", text, said)
			}
		})
	}
}

// checkUnsat compares what is known of a clash: members, core, noMatch and what the message has to mention.
func checkUnsat(t *testing.T, got, want *value.Value, said string) {
	t.Helper()
	var u struct {
		Core    []int             `json:"core"`
		NoMatch []json.RawMessage `json:"noMatch"`
		Message string            `json:"message"`
	}
	if err := json.Unmarshal(got.JSON(), &u); err != nil {
		t.Fatal(err)
	}
	var members []string
	for _, m := range got.Members {
		members = append(members, m.Name)
	}
	if !slices.Equal(members, []string{"core", "noMatch", "message"}) || !value.Equal(got.Get("core"), want.Get("core")) {
		t.Errorf("got %s, want %s", got.JSON(), want.JSON())
	}
	noMatch := want.Get("noMatch")
	if noMatch == nil {
		noMatch = value.NewList()
	}
	if !value.Equal(got.Get("noMatch"), noMatch) {
		t.Errorf("noMatch %s, want %s", got.Get("noMatch").JSON(), noMatch.JSON())
	}
	if mentions := want.Get("mentions"); mentions != nil {
		for _, m := range mentions.Items {
			if !strings.Contains(u.Message, m.Text) {
				t.Errorf("%s is not mentioned in %s", m.Text, u.Message)
			}
		}
	}
	if len(u.Message) > solver.MaxMessage || said != "unsatisfiable: "+u.Message+"\n" {
		t.Errorf("%d bytes; it says %s", len(u.Message), said)
	}
}
