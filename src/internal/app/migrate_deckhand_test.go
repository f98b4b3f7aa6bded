package app

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/memdir"
	"github.com/dovetail-store/dovetail/src/internal/yaml"
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

// TestKilledInDeckhandMigration kills migrations by SIGKILL at several times: the target has nothing or everything, and where it has
// nothing the same migration, repeated, finishes it.
func TestKilledInDeckhandMigration(t *testing.T) {
	const revisions, kills = 400, 5
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const at = `2026-11-22 00:20:56.663415,2026-11-22 00:20:56.66342,\N,f,`
	files := map[string]*strings.Builder{}
	write := func(table, columns string) *strings.Builder {
		files[table] = &strings.Builder{}
		files[table].WriteString("created_at,updated_at,deleted_at,deleted,id" + columns + "\n")
		return files[table]
	}
	write("buckets", ",name").WriteString(at + "1,site\n")
	write("revision_tags", ",tag,data,revision_id")
	write("validations", ",name,status,validator,errors,revision_id")
	of, documents := write("revisions", ""), write("documents", ",name,schema,layer,meta,data,data_hash,metadata_hash,bucket_id,revision_id,orig_revision_id")
	for n := 1; n <= revisions; n++ {
		fmt.Fprintf(of, "%s%d\n", at, n)
		fmt.Fprintf(documents, `%s%d,d,garden/Bed/v1,site,"{""name"": ""d"", ""schema"": ""metadata/Document/v1"", ""layeringDefinition"": {""layer"": ""site""}}","{""n"": %d, ""text"": ""%s""}",h%d,h,1,%d,%d`+"\n",
			at, n, n, strings.Repeat("word ", 1000), n, n, n)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	arguments := func(location string) []string { return []string{"migrate", "deckhand", dir, "--store", location} }
	fresh := func() string { return "bolt:" + filepath.Join(t.TempDir(), "deckhand.db") }
	began := time.Now()
	if output, err := exec.Command(path, arguments(fresh())...).CombinedOutput(); !strings.Contains(string(output), "400 revisions with 400 rows migrated") {
		t.Fatalf("%v %s", err, output)
	}
	longest := time.Since(began) // from the creation of the store to a kill that is not too late
	within := 0
	for n := range kills {
		location := fresh()
		migration := exec.Command(path, arguments(location)...)
		if err := migration.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- migration.Wait() }()
		for file, over := strings.TrimPrefix(location, "bolt:"), time.After(time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(file); err == nil {
				break
			}
			select {
			case err := <-ended:
				t.Fatal("the migration ended without a store:", err)
			case <-over:
				t.Fatal("no store after a minute")
			default:
			}
		}
		wait := longest * time.Duration(n+1) / (kills + 1)
		time.Sleep(wait)
		_ = migration.Process.Kill()
		t.Log("the migration ended:", <-ended)
		there := func() int {
			return strings.Count(command(t, 0, "", "export", "--store", location), `"kind":"layeringRevision"`)
		}
		switch n := there(); n {
		case 0:
			within++
			command(t, 1, "", arguments(location)...) // without a layering policy nothing can be rendered
		case revisions:
			longest = wait
		default:
			t.Fatalf("%d of %d revisions are migrated", n, revisions)
		}
		if n := there(); n != revisions {
			t.Fatalf("%d of %d revisions are there after the repetition", n, revisions)
		}
	}
	if t.Logf("%d of %d were killed within", within, kills); within == 0 {
		t.Error("none was killed within")
	}
}
