package deckhand

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/layering/history"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const testdata = "testdata/garden/"

// readGarden reads the tables of the given database, each changed by a function.
func readGarden(t *testing.T, change func(table, text string) string) []*Table {
	t.Helper()
	var tables []*Table
	for _, name := range Tables {
		text, err := os.ReadFile(filepath.Join(testdata, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		table, err := ReadCSV(name, name+".csv", strings.NewReader(change(name, string(text))))
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	return tables
}

func secretsOf(t *testing.T) Secrets {
	t.Helper()
	text, err := os.ReadFile(testdata + "barbican.json")
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := ParseSecrets("barbican.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return secrets
}

func unchanged(_, text string) string { return text }

func TestRead(t *testing.T) {
	h, findings, err := Read(readGarden(t, unchanged), secretsOf(t))
	if err != nil || len(findings) > 0 {
		t.Fatal(findings, err)
	}
	var live []int
	for state := range h.States {
		live = append(live, len(state.Live))
	}
	if want := []int{3, 4, 8, 11, 11, 11, 9, 8, 11, 11}; !slices.Equal(live, want) || len(h.Buckets) != 4 {
		t.Errorf("the revisions have %d documents, want %d; %d buckets", live, want, len(h.Buckets))
	}
	if rendered, findings := h.Check(t.Context(), nil); rendered != 10 || len(findings) > 0 {
		t.Error(rendered, findings)
	}
}

// TestFindings damages the database: what is lost or not understood is named.
func TestFindings(t *testing.T) {
	in := func(of, old, by string) func(table, text string) string {
		return func(table, text string) string {
			if table == of {
				return strings.Replace(text, old, by, 1)
			}
			return text
		}
	}
	appended := func(of, line string) func(table, text string) string {
		return func(table, text string) string {
			if table == of {
				return text + line + "\n"
			}
			return text
		}
	}
	const at = `2026-11-22 00:20:56.735027,\N,\N,`
	tests := []struct {
		name    string
		change  func(table, text string) string
		problem string
		says    string
	}{
		{name: "another version", change: in("alembic_version", "918bbfd28185", "aaaa"), problem: OtherVersion, says: "version aaaa"},
		{name: "a column more", change: in("buckets", "deleted,id,name", "deleted,id,name,colour"), problem: UnknownColumn, says: "colour of buckets"},
		{name: "a tag of no revision", change: appended("revision_tags", at+"f,9,lost,{},99"), problem: Orphan, says: "row 9 of revision_tags is left out: revision 99"},
		{name: "a tag twice", change: appended("revision_tags", at+"f,9,committed,{},3"), problem: Duplicate, says: "revision 3 has the tag committed already"},
		{name: "a tag with a list", change: appended("revision_tags", at+"f,9,odd,[],3"), problem: OddValue, says: "is a list, not a map"},
		{name: "a deleted tag", change: appended("revision_tags", at+"t,9,gone,{},3"), problem: Deleted, says: "row 9 of revision_tags"},
		{name: "a report of another status", change: appended("validations", at+`f,9,v,ignored,{},[],3`), problem: OddValue, says: `"ignored"`},
		{name: "a report that is no JSON", change: appended("validations", at+`f,9,v,success,{,[],3`), problem: Unreadable, says: "validator is no JSON"},
		{name: "a document of no bucket", change: in("buckets", ",4,secrets", ",7,secrets"), problem: Orphan, says: "its bucket 4 is not there"},
		{name: "a document with other metadata", change: in("documents", `{""name"": ""order""`, `{""name"": ""ordre""`), problem: Unreadable, says: "row 1 of documents"},
		{name: "revisions out of order", change: in("revisions", "2026-11-22 00:20:57.069593", "2026-11-21 00:20:57.069593"), problem: OddOrder, says: "revision 10 is older than revision 9"},
		{name: "no time", change: in("revisions", "2026-11-22 00:20:56.656734", "yesterday"), problem: OddValue, says: `"yesterday"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tables := readGarden(t, unchanged)
			if test.name == "a column more" {
				tables[0].Columns = append(tables[0].Columns, "colour")
				for i := range tables[0].Rows {
					tables[0].Rows[i] = append(tables[0].Rows[i], nil)
				}
			} else {
				tables = readGarden(t, test.change)
			}
			_, findings, err := Read(tables, secretsOf(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				if f.Problem == test.problem && strings.Contains(f.Message, test.says) {
					return
				}
			}
			t.Errorf("%+v", findings)
		})
	}
}

func TestMissingSecrets(t *testing.T) {
	secrets := secretsOf(t)
	const ref = "http://barbican.example.org:9311/v1/secrets/763377d4-a74e-450f-88cb-4274185f75ae"
	delete(secrets, ref)
	h, findings, err := Read(readGarden(t, unchanged), secrets)
	if err != nil || len(findings) != 1 || findings[0].Problem != MissingSecret || !strings.Contains(findings[0].Message, ref) {
		t.Errorf("%+v %v", findings, err)
	}
	if d := document(h, 37); d == nil || d.Document.Data().Text != ref || !d.Document.Encrypted {
		t.Errorf("%+v", d)
	}
	secrets[ref] = Secret{Ref: ref, Type: "opaque", Payload: "bm8gbGl0ZXJhbA=="}
	_, findings, err = Read(readGarden(t, unchanged), secrets)
	if err != nil || len(findings) != 1 || findings[0].Problem != BadSecret || strings.Contains(findings[0].Message, "literal") {
		t.Errorf("%+v %v", findings, err)
	}
}

func document(h *history.History, number int) *history.Row {
	for _, of := range h.Revisions {
		for i := range of.Rows {
			if of.Rows[i].Number == number {
				return &of.Rows[i]
			}
		}
	}
	return nil
}

func TestRefusedDumps(t *testing.T) {
	tables := readGarden(t, unchanged)
	if _, _, err := Read(tables[1:], nil); err == nil || !strings.Contains(err.Error(), "the table buckets is missing") {
		t.Error(err)
	}
	tables[0].Columns[5] = "nam"
	if _, _, err := Read(tables, nil); err == nil || !strings.Contains(err.Error(), "no column name") {
		t.Error(err)
	}
	for _, text := range []string{"", "a,b\n1\n", "a\n\"x\n"} {
		if _, err := ReadCSV("buckets", "buckets.csv", strings.NewReader(text)); dovetail.CodeOf(err) != dovetail.CodeInvalid {
			t.Errorf("%q: %v", text, err)
		}
	}
	stranger := &Table{Name: "bucket"}
	_, findings, err := Read(append(readGarden(t, unchanged), stranger), secretsOf(t))
	if err != nil || len(findings) != 1 || !strings.Contains(findings[0].Message, "did you mean buckets?") {
		t.Error(findings, err)
	}
}

// TestCompare compares renderings with what Deckhand answered, and with answers of which values were changed.
func TestCompare(t *testing.T) {
	h, _, err := Read(readGarden(t, unchanged), secretsOf(t))
	if err != nil {
		t.Fatal(err)
	}
	answers := func(old, by string) map[int][]*value.Value {
		text, err := os.ReadFile(testdata + "answers.yaml")
		if err != nil {
			t.Fatal(err)
		}
		read, err := yaml.ParsePython("answers.yaml", []byte(strings.ReplaceAll(string(text), old, by)), value.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		answered := make(map[int][]*value.Value)
		for _, a := range read[0].Get("answers").Items {
			var number int
			if n, _ := fmt.Sscanf(a.Get("do").Text, "GET /api/v1.0/revisions/%d/rendered-documents", &number); n == 1 && !strings.Contains(a.Get("do").Text, "?") &&
				strings.HasSuffix(a.Get("do").Text, "rendered-documents") {
				answered[number] = a.Get("documents").Items
			}
		}
		return answered
	}
	tests := []struct {
		name, old, by string
		says          []string // of revision 5
	}{
		{name: "equal"},
		{name: "a merged value", old: "clay: 1", by: "clay: 7", says: []string{
			"revision 5: garden/Bed/v1 soil-east in region: .mix.clay is 1 here and 7 there; here it is from action 1 (merge .) of garden/Bed/v1 soil-east in region",
			"revision 5: garden/Bed/v1 bed-1 in site: .mix.clay is another there, which holds secrets; here it is from action 1 (merge .) of garden/Bed/v1 soil-east in region"}},
		{name: "a secret", old: "open sesame", by: "other", says: []string{
			"revision 5: deckhand/Passphrase/v1 gate-token in site: . is another there, which holds secrets; here it is from the data of deckhand/Passphrase/v1 gate-token in site"}},
		{name: "a value there only", old: "north: stone", by: "west: hedge", says: []string{
			"revision 5: garden/Bed/v1 paths in site: .edges.west is nothing here and \"hedge\" there; no document puts a value there"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rendered, findings := h.Check(t.Context(), answers(test.old, test.by))
			if rendered != 10 || (len(findings) > 0) != (len(test.says) > 0) {
				t.Errorf("%d rendered, %+v", rendered, findings)
			}
			for _, text := range test.says {
				if !slices.ContainsFunc(findings, func(f store.Finding) bool { return f.Message == text }) {
					t.Errorf("no %s\n%+v", text, findings)
				}
			}
		})
	}
}
