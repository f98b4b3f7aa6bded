package app

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
	"github.com/dovetail-store/dovetail/src/store"
)

// emcoDatabases are the databases as EMCO wrote them, with what its API answers; see the README there.
const emcoDatabases = "../emco/testdata/"

// emcoAnswer is a line of rest.jsonl: what EMCO answers to a GET.
type emcoAnswer struct {
	Path, Accept string
	Body         any
	Parts        []struct {
		JSON   any
		SHA256 string
		Size   int
	}
	SHA256 string
}

// TestMigrateEMCODatabases migrates databases that EMCO wrote, and reads all that its API answers from them.
func TestMigrateEMCODatabases(t *testing.T) {
	for name, code := range emcoCodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			location := "bolt:" + filepath.Join(memdir.New(t), "emco.db")
			arguments := []string{"migrate", "emco", emcoDatabases + name + "/documents.jsonl", "--ref-schemas", emcoSchema, "--references", "warn", "--store", location}
			command(t, code, "", arguments...)
			if again := command(t, code, "", arguments...); !strings.Contains(again, "by an earlier run)") || strings.Contains(again, "changed") {
				t.Errorf("the second run says %s", again)
			}
			s := start(t, map[string]string{"store": location, "ref-schemas": emcoSchema, "api-profile": "emco"})
			compareAnswers(t, s, name)
			compareDeletions(t, s, name)
		})
	}
}

// TestExportEMCODatabases takes migrated databases on by export and import, where the reads and deletions have to be the same.
func TestExportEMCODatabases(t *testing.T) {
	targets := []struct {
		name string
		open func(t *testing.T) string
	}{
		{name: "embedded store", open: func(t *testing.T) string { return "bolt:" + filepath.Join(memdir.New(t), "imported.db") }},
		{name: "MongoDB", open: func(t *testing.T) string { return freshMongo(t).String() }},
	}
	for _, target := range targets {
		for name, code := range emcoCodes {
			t.Run(target.name+"/"+name, func(t *testing.T) {
				location := target.open(t)
				migrated := "bolt:" + filepath.Join(memdir.New(t), "emco.db")
				options := []string{"--ref-schemas", emcoSchema, "--references", "warn", "--store"}
				command(t, code, "", slices.Concat([]string{"migrate", "emco", emcoDatabases + name + "/documents.jsonl"}, options, []string{migrated})...)
				export := command(t, 0, "", "export", "--store", migrated)
				command(t, 0, export, slices.Concat([]string{"import", "-"}, options, []string{location})...)
				s := start(t, map[string]string{"store": location, "ref-schemas": emcoSchema, "api-profile": "emco"})
				compareAnswers(t, s, name)
				compareDeletions(t, s, name)
			})
		}
	}
}

// emcoCodes are the databases with the exit codes of their migration.
var emcoCodes = map[string]int{
	"vfw":      0,
	"test-gac": 1, // customizations refer to a cluster that does not exist
}

// emcoSchema is the ref-schema of EMCO.
const emcoSchema = "../../../ref-schemas/examples/emco"

// compareAnswers asks a server for all that EMCO was asked for.
func compareAnswers(t *testing.T, s *running, name string) {
	t.Helper()
	for _, want := range readAnswers(t, name) {
		request := s.request(t, http.MethodGet, want.Path, "")
		request.Header.Set("Accept", want.Accept)
		status, header, text := roundTrip(t, request)
		if status != http.StatusOK {
			t.Errorf("GET %s (%s): status %d: %s", want.Path, want.Accept, status, text)
			continue
		}
		switch want.Accept {
		case "application/octet-stream":
			if digestOf([]byte(text)) != want.SHA256 {
				t.Errorf("GET %s: other files, of %d bytes", want.Path, len(text))
			}
		case "multipart/form-data":
			comparePart(t, want, header, text)
		default:
			var got any
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(err)
			}
			if got, want := essence(got), essence(want.Body); !reflect.DeepEqual(got, want) {
				t.Errorf("GET answers\n%s\nwant\n%s", asText(got), asText(want))
			}
		}
	}
}

func comparePart(t *testing.T, want emcoAnswer, header http.Header, text string) {
	t.Helper()
	_, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(strings.NewReader(text), parameters["boundary"])
	for i, wanted := range want.Parts {
		part, err := reader.NextPart()
		if err != nil {
			t.Fatalf("GET %s: part %d: %v", want.Path, i, err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			var got any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if wanted.JSON != nil && !reflect.DeepEqual(essence(got), essence(wanted.JSON)) {
				t.Errorf("GET %s: the metadata are %s, want %s", want.Path, data, asText(wanted.JSON))
			}
			continue
		}
		if len(data) == wanted.Size+1 { // what recorded the answers took the line feed before the boundary for a part of it
			data = bytes.TrimSuffix(data, []byte("\n"))
		}
		if digestOf(data) != wanted.SHA256 {
			t.Errorf("GET %s: part %d has other bytes, %d of them, want %d", want.Path, i, len(data), wanted.Size)
		}
	}
	if _, err := reader.NextPart(); err != io.EOF {
		t.Errorf("GET %s: there are further parts: %v", want.Path, err)
	}
}

// compareDeletions deletes what EMCO was asked to delete: each resource by itself, as a dry run, and then all in sequence.
func compareDeletions(t *testing.T, s *running, name string) {
	t.Helper()
	for _, line := range jsonLines(t, emcoDatabases+name+"/deletes.jsonl") {
		var want struct{ Phase, Path, Class string }
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		path := want.Path
		if want.Phase == "alone" {
			path += "?dryRun=true"
		}
		status, text := s.call(t, http.MethodDelete, path, "")
		if done := status < 300; done != (want.Class == "done") || !done && status != http.StatusConflict {
			t.Errorf("%s: DELETE %s: status %d, EMCO answers %s: %s", want.Phase, want.Path, status, want.Class, text)
		}
	}
}

func readAnswers(t *testing.T, name string) (all []emcoAnswer) {
	t.Helper()
	for _, line := range jsonLines(t, emcoDatabases+name+"/rest.jsonl") {
		var a emcoAnswer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func jsonLines(t *testing.T, file string) (lines [][]byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for scanner.Scan() {
		lines = append(lines, bytes.Clone(scanner.Bytes()))
	}
	return lines
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// essence is a JSON value without what EMCO's clients do not tell apart: null, "", empty lists and objects, and what is absent;
// and the order of lists.
func essence(v any) any {
	switch v := v.(type) {
	case map[string]any:
		left := make(map[string]any)
		for name, member := range v {
			if member = essence(member); member != nil {
				left[name] = member
			}
		}
		if len(left) > 0 {
			return left
		}
	case []any:
		var left []any
		for _, item := range v {
			left = append(left, essence(item))
		}
		sort.Slice(left, func(i, j int) bool { return asText(left[i]) < asText(left[j]) })
		if left = slices.DeleteFunc(left, func(item any) bool { return item == nil }); len(left) > 0 {
			return left
		}
	case string:
		if v != "" {
			return v
		}
	default:
		return v
	}
	return nil
}

func asText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestMigrateEMCOFromAPI migrates what the API of a system shows, which answers as EMCO did: everything arrives but what the API does not name.
func TestMigrateEMCOFromAPI(t *testing.T) {
	for name := range emcoCodes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from := "bolt:" + filepath.Join(memdir.New(t), "from.db")
			command(t, emcoCodes[name], "", "migrate", "emco", emcoDatabases+name+"/documents.jsonl", "--ref-schemas", emcoSchema, "--references", "warn", "--store", from)
			served := start(t, map[string]string{"store": from, "ref-schemas": emcoSchema, "api-profile": "emco"})
			to := "bolt:" + filepath.Join(memdir.New(t), "to.db")
			said := command(t, 1, "", "migrate", "emco", served.URL(), "--ref-schemas", emcoSchema, "--references", "warn", "--store", to, "-o", "json")
			var report struct{ Items []store.Finding }
			if err := json.Unmarshal([]byte(said), &report); err != nil {
				t.Fatal(err)
			}
			unnamed := 0
			for _, f := range report.Items {
				switch {
				case strings.Contains(f.Message, "of kind groupIntent below"):
					unnamed++
				case f.Problem == "dangling-reference" && name == "test-gac":
				default:
					t.Errorf("found %+v", f)
				}
			}
			if unnamed == 0 {
				t.Error("the intents without names are not reported")
			}
			lines := func(target ...string) (all []string) {
				for line := range strings.Lines(command(t, 0, "", append([]string{"export"}, target...)...)) {
					var doc struct {
						ID     string
						Data   json.RawMessage
						Files  []struct{ Data string } `json:"content"`
						Status struct{ Lifecycle struct{ State string } }
					}
					if err := json.Unmarshal([]byte(line), &doc); err != nil {
						t.Fatal(err)
					}
					if doc.ID != "" && !strings.Contains(doc.ID, "/groupIntent/") {
						all = append(all, fmt.Sprintf("%s %s %s %s", doc.ID, doc.Data, doc.Files, doc.Status.Lifecycle.State))
					}
				}
				slices.Sort(all)
				return all
			}
			was, is := lines("--server", served.URL()), lines("--store", to)
			for _, line := range was {
				if !slices.Contains(is, line) {
					t.Errorf("is not there: %.400s", line)
				}
			}
			if len(was) != len(is) || len(is) < 20 {
				t.Errorf("%d documents become %d", len(was), len(is))
			}
			if text := command(t, 2, "", "migrate", "emco", served.URL(), "--service", "dmc=http://x", "--ref-schemas", emcoSchema, "--store", to); text != "" {
				t.Errorf("a misspelt service: %s", text)
			}
		})
	}
}
