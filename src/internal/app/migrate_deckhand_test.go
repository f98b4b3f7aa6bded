package app

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/value"
)

// deckhandDatabase is a database as Airship Deckhand wrote it, with what its API answers; see the README there.
const deckhandDatabase = "../deckhand/testdata/garden/"

func newMainKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.key")
	if err := os.WriteFile(file, []byte(command(t, 0, "", "secrets", "keygen")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMigrateDeckhand migrates a database of Deckhand, and reads all that its API answers from it.
func TestMigrateDeckhand(t *testing.T) {
	targets := []struct {
		name string
		open func(t *testing.T) string
	}{
		{name: "embedded store", open: func(t *testing.T) string { return "bolt:" + filepath.Join(memdir.New(t), "deckhand.db") }},
		{name: "MongoDB", open: func(t *testing.T) string { return freshMongo(t).String() }},
	}
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			location, key := target.open(t), newMainKey(t)
			migrate := []string{"migrate", "deckhand", deckhandDatabase, "--barbican", deckhandDatabase + "barbican.json", "--encryption-key-file", key, "--store", location}
			if text := command(t, 0, "", append(migrate, "--dry-run")...); !strings.Contains(text, "10 revisions with 39 rows would be migrated, 10 rendered") {
				t.Error(text)
			}
			command(t, 0, "", migrate...)
			before := command(t, 0, "", "export", "--store", location)
			if text := command(t, 0, "", migrate...); !strings.Contains(text, "there already") {
				t.Error(text)
			}
			if command(t, 0, "", "export", "--store", location) != before {
				t.Error("the second migration changed something")
			}
			command(t, 0, "", "fsck", "--store", location)
			s := start(t, map[string]string{"store": location, "encryption-key-file": key, "layering-profile": "deckhand"})
			compareDeckhandAnswers(t, s)
			nextRevision(t, s)
		})
	}
	t.Run("server", func(t *testing.T) {
		key := newMainKey(t)
		s := start(t, map[string]string{"encryption-key-file": key, "layering-profile": "deckhand"})
		migrate := []string{"migrate", "deckhand", deckhandDatabase, "--barbican", deckhandDatabase + "barbican.json", "--encryption-key-file", key, "--server", s.URL()}
		command(t, 0, "", migrate...)
		compareDeckhandAnswers(t, s)
		nextRevision(t, s)
		if text := command(t, 0, "", migrate...); !strings.Contains(text, "there already") {
			t.Error(text)
		}
	})
}

// TestDeckhandGuide runs the commands of the guide.
func TestDeckhandGuide(t *testing.T) {
	text, err := os.ReadFile("../../../docs/deckhand.md")
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := os.ReadFile(deckhandDatabase + "barbican.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "dump"), os.DirFS(deckhandDatabase)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.WriteFile("secrets.json", secrets, 0o600); err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^\$ dovetail (.*)\n((?:[^$`+"`"+`].*\n)*)`).FindAllStringSubmatch(string(text), -1)
	if len(examples) != 4 {
		t.Errorf("%d examples", len(examples))
	}
	for _, example := range examples {
		words, file, redirected := strings.Cut(example[1], " > ")
		got := command(t, 0, "", strings.Fields(words)...)
		if redirected {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			got = ""
		}
		if got != example[2] {
			t.Errorf("dovetail %s puts out\n%s", example[1], got)
		}
	}
}

// TestMigrateDeckhandRendered compares a migration with what was answered for rendered documents.
func TestMigrateDeckhandRendered(t *testing.T) {
	key, rendered := newMainKey(t), t.TempDir()
	s := start(t, map[string]string{"encryption-key-file": key, "layering-profile": "deckhand"})
	migrate := []string{"migrate", "deckhand", deckhandDatabase, "--barbican", deckhandDatabase + "barbican.json", "--encryption-key-file", key, "--server", s.URL()}
	command(t, 0, "", migrate...)
	migrate = append(migrate, "--rendered", rendered)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(rendered, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answered := s.must(t, 200, http.MethodGet, "/api/v1.0/revisions/3/rendered-documents", "")
	write("3.yaml", answered)
	command(t, 0, "", migrate...)
	write("3.yaml", strings.Replace(answered, "width: 45", "width: 46", 1))
	if text := command(t, 1, "", migrate...); !strings.Contains(text, "other-value") || !strings.Contains(text, "45 here and 46 there") {
		t.Error(text)
	}
	write("three.yaml", answered)
	command(t, 6, "", migrate...)
}

// nextRevision puts an unchanged document: it stays unchanged, and the revision has the number after the highest.
func nextRevision(t *testing.T, s *running) {
	t.Helper()
	const document = "schema: garden/Bed/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: soil-east\n  storagePolicy: cleartext\n" +
		"  layeringDefinition: {layer: region, parentSelector: {role: soil-global}, actions: [{method: merge, path: .}]}\n  labels: {role: soil-east}\n" +
		"data: {mix: {loam: 6, clay: 1}}\n"
	request := s.request(t, http.MethodPut, "/api/v1.0/buckets/design-region/documents", document)
	request.Header.Set("Content-Type", "application/x-yaml")
	if status, _, text := roundTrip(t, request); status != http.StatusOK || !strings.Contains(text, "revision: 11") {
		t.Errorf("PUT: %d %s", status, text)
	}
	if text := s.must(t, 200, http.MethodGet, "/api/v1.0/revisions/10/diff/11", ""); !strings.Contains(text, "design-region: unmodified") {
		t.Error(text)
	}
}

// compareDeckhandAnswers asks a server for all that Deckhand was asked for.
func compareDeckhandAnswers(t *testing.T, s *running) {
	t.Helper()
	text, err := os.ReadFile(deckhandDatabase + "answers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	read, err := yaml.ParsePython("answers.yaml", text, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	answers := read[0].Get("answers").Items
	if len(answers) != 111 {
		t.Errorf("%d answers", len(answers))
	}
	for _, want := range answers {
		method, path, _ := strings.Cut(want.Get("do").Text, " ")
		status, text := s.call(t, method, path, "")
		got, err := yaml.ParsePython("", []byte(text), value.Limits{})
		if err != nil {
			t.Fatalf("%s: %v: %s", path, err, text)
		}
		raw := regexp.MustCompile(`/revisions/\d+/documents`).MatchString(path)
		expected := tidyDeckhand(want.Get("documents"), raw)
		answered := tidyDeckhand(value.NewList(got...), raw)
		if strconv.Itoa(status) != want.Get("status").Text || !value.Equal(answered, expected) {
			t.Errorf("%s %s: %d\n%s\nwant\n%s", method, path, status, answered.JSON(), expected.JSON())
		}
	}
}

// tidyDeckhand takes out of an answer what need not be equal.
func tidyDeckhand(v *value.Value, raw bool) *value.Value {
	c := *v
	c.Items, c.Members = nil, nil
	for _, item := range v.Items {
		c.Items = append(c.Items, tidyDeckhand(item, raw))
	}
	encrypted, _ := v.At("metadata", "storagePolicy").Str()
	document := v.Get("metadata") != nil && v.Get("status") != nil
	for _, m := range v.Members {
		switch {
		case document && m.Name == "id":
		case document && raw && m.Name == "data" && encrypted == "encrypted":
		case m.Name == "createdAt" && m.Value.Kind == value.String:
			second, _, _ := strings.Cut(m.Value.Text, ".")
			c.Members = append(c.Members, value.Member{Name: m.Name, Value: value.NewString(second)})
		default:
			member := tidyDeckhand(m.Value, raw)
			if m.Name == "results" || m.Name == "details" {
				slices.SortFunc(member.Items, func(a, b *value.Value) int { return strings.Compare(string(a.JSON()), string(b.JSON())) })
			}
			c.Members = append(c.Members, value.Member{Name: m.Name, Value: member})
		}
	}
	slices.SortFunc(c.Members, func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) })
	return &c
}
