package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	refschemas "github.com/dovetail-store/dovetail/ref-schemas"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/app"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/schema"
)

// parameter is a parameter in OpenAPI, or a reference to one.
type parameter struct {
	Ref         string `json:"$ref"`
	Name        string
	In          string
	Description string
	Schema      struct {
		Type    string
		Enum    []string
		Minimum *int
		Maximum *int
	}
}

type operation struct {
	Summary     string
	Tags        []string
	Parameters  []parameter
	RequestBody *struct {
		Content map[string]json.RawMessage
	}
	Responses map[string]json.RawMessage
}

// description is as much of an OpenAPI document as the reference shows.
type description struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Parameters map[string]parameter }
}

// described is the OpenAPI document of a server with all services.
func described(t *testing.T) (d description) {
	t.Helper()
	config, err := app.Load(map[string]string{"store": "bolt:" + t.TempDir() + "/reference.db", "listen": "127.0.0.1:0"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := app.Start(t.Context(), config, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/openapi.json", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	return d
}

// pathReference describes all paths: those of documents once for all kinds that are served alike, the others by service.
func pathReference(t *testing.T, model *schema.Model) string {
	t.Helper()
	d := described(t)
	sections := make(map[string][][]string)
	alike := make(map[string][]string) // the paths of each table of operations
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		rows, tag := d.rows(t, path)
		if _, isKind := model.Kind(tag); isKind {
			// Paths of documents differ in what comes before the collection.
			text := table(operationHead[1:], rows)
			alike[text] = append(alike[text], path)
			continue
		}
		for _, row := range rows {
			sections[tag] = append(sections[tag], append([]string{path}, row...))
		}
	}
	var b strings.Builder
	b.WriteString("## Paths of documents\n\nThe kinds that ship are served at these paths; a ref-schema of your own makes others.\n\n")
	for _, text := range slices.SortedFunc(maps.Keys(alike), func(x, y string) int {
		return cmp.Or(cmp.Compare(len(alike[y]), len(alike[x])), cmp.Compare(x, y))
	}) {
		b.WriteString(text + "\nat\n\n")
		for _, path := range alike[text] {
			b.WriteString("- " + code(path) + "\n")
		}
		b.WriteString("\n")
	}
	for _, tag := range slices.Sorted(maps.Keys(sections)) {
		title := "Paths of the service " + code(tag)
		if tag == "" {
			title = "Paths of every server"
		}
		fmt.Fprintf(&b, "## %s\n\n", title)
		b.WriteString(table(operationHead, sections[tag]) + "\n")
	}
	b.WriteString("## Parameters\n\n")
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(d.Components.Parameters)) {
		if p := d.Components.Parameters[name]; p.In != "path" {
			rows = append(rows, []string{code(p.Name), p.In, p.values(), p.Description})
		}
	}
	b.WriteString(table([]string{"name", "in", "values", "meaning"}, rows))
	return b.String()
}

var operationHead = []string{"path", "verb", "effect", "parameters", "body", "answers"}

// rows describes the operations of a path, and returns their tag: a kind, a service, or "".
func (d description) rows(t *testing.T, path string) (rows [][]string, tag string) {
	t.Helper()
	for _, verb := range []string{"get", "post", "put", "patch", "delete"} {
		text := d.Paths[path][verb]
		if text == nil {
			continue
		}
		var o operation
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		if len(o.Tags) > 0 {
			tag = o.Tags[0]
		}
		var parameters, bodies []string
		for _, p := range o.Parameters {
			if p.Ref != "" {
				p = d.Components.Parameters[p.Ref[strings.LastIndex(p.Ref, "/")+1:]]
			}
			if p.In != "path" {
				parameters = append(parameters, code(p.Name))
			}
		}
		if o.RequestBody != nil {
			bodies = slices.Sorted(maps.Keys(o.RequestBody.Content))
		}
		statuses := slices.DeleteFunc(slices.Sorted(maps.Keys(o.Responses)), func(s string) bool { return s == "default" })
		effect := o.Summary
		if tag != "" { // the same words for every kind
			effect = strings.ReplaceAll(effect, "the kind "+tag, "the kind")
		}
		rows = append(rows, []string{strings.ToUpper(verb), effect, strings.Join(parameters, ", "), strings.Join(bodies, ", "), strings.Join(statuses, ", ")})
	}
	return rows, tag
}

// TestReferenceOfErrors checks that the page names every code of errors with its status.
func TestReferenceOfErrors(t *testing.T) {
	page, err := os.ReadFile(repository + "/docs/reference/rest.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(repository + "/src/dovetail/error.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?m)^\tCode\w+ +Code = "([a-z-]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(codes) < 20 {
		t.Fatalf("only %d codes found", len(codes))
	}
	for _, c := range codes {
		code := dovetail.Code(c[1])
		if code == dovetail.CodeCanceled {
			continue // the client that it is about does not receive it
		}
		if row := fmt.Sprintf("\n| `%s` | %d | ", code, problem.Status(code)); !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/rest.md has no row %s", row)
		}
	}
}

// values are what a parameter may be.
func (p parameter) values() string {
	switch {
	case len(p.Schema.Enum) > 0:
		return strings.Join(p.Schema.Enum, ", ")
	case p.Schema.Minimum != nil && p.Schema.Maximum != nil:
		return fmt.Sprintf("%d to %d", *p.Schema.Minimum, *p.Schema.Maximum)
	case p.Schema.Minimum != nil:
		return fmt.Sprintf("%d or more", *p.Schema.Minimum)
	}
	return p.Schema.Type
}

// shippedModel is the ref-schema that is built into the program.
func shippedModel(t *testing.T) *schema.Model {
	t.Helper()
	sources, err := schema.ReadFS(refschemas.FS)
	if err != nil {
		t.Fatal(err)
	}
	model, err := schema.Compile(sources)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// kindReference describes the kinds that ship, by service.
func kindReference(model *schema.Model) string {
	services := make(map[string][]*schema.Kind)
	for _, kind := range model.Kinds() {
		services[kind.Service] = append(services[kind.Service], kind)
	}
	var b strings.Builder
	for _, service := range slices.Sorted(maps.Keys(services)) {
		fmt.Fprintf(&b, "## Kinds of `%s`\n\n", service)
		for _, kind := range services[service] {
			describeKind(&b, kind.Describe())
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func describeKind(b *strings.Builder, kind schema.Description) {
	fmt.Fprintf(b, "### %s\n\n", kind.Name)
	if kind.Description != "" {
		b.WriteString(kind.Description + "\n\n")
	}
	rows := [][]string{{"key", code(strings.Join(kind.Key, ", "))}}
	add := func(name string, values ...string) {
		if len(values) > 0 {
			rows = append(rows, []string{name, strings.Join(values, "; ")})
		}
	}
	for _, collection := range kind.Collections {
		add("served at", code(collection.Item))
	}
	for _, reference := range kind.References {
		add("references", reference.Sentence)
	}
	add("children", kind.Children...)
	add("referenced by", kind.ReferencedBy...)
	for _, part := range kind.Content {
		add("content", code(part.Name))
	}
	for _, action := range kind.Actions {
		add("action", code(action.Path))
	}
	if kind.Abstract {
		add("abstract", "it has no documents")
	}
	if kind.Managed {
		add("managed", "only its service changes the documents")
	}
	switch {
	case kind.Sensitive == nil:
	case kind.Sensitive.Whole:
		add("sensitive", "all of the data")
	default:
		add("sensitive", code(strings.Join(kind.Sensitive.Paths, ", ")))
	}
	add("made of", kind.Inputs...)
	b.WriteString(table([]string{"", ""}, rows) + "\n")
}
