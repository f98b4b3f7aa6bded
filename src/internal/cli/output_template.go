package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"k8s.io/client-go/util/jsonpath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The formats with a text after an equals sign, as kubectl has them.
const (
	templateJSONPath = "jsonpath"
	templateGo       = "go-template"
	templateColumns  = "custom-columns"
)

// templates are the formats with a text; each may also be followed by -file, and then a file has the text.
var templates = []string{templateJSONPath, templateGo, templateColumns}

// templated is what a verb does with an item or a list of items.
type templated func(out *bytes.Buffer, r shown) error

// templateOf divides a format into its name and the text after it; no name means that it is none of templates.
func templateOf(f format) (name, text string) {
	name, text, found := strings.Cut(string(f), "=")
	if !found || !slices.Contains(templates, strings.TrimSuffix(name, "-file")) {
		return "", ""
	}
	return name, text
}

// parseTemplate compiles a format with a text; nil for other formats.
func parseTemplate(f format) (templated, error) {
	name, text := templateOf(f)
	if name == "" {
		return nil, nil
	}
	if kind, file := strings.CutSuffix(name, "-file"); file {
		read, err := os.ReadFile(text)
		if err != nil {
			return nil, err
		}
		name, text = kind, strings.TrimRight(string(read), "\n")
	}
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s= has nothing after it", name)
	}
	switch name {
	case templateJSONPath:
		return parseJSONPath(text)
	case templateGo:
		return parseGoTemplate(text)
	default:
		return parseColumns(text)
	}
}

// acceptsTemplates lets a verb have the formats with a text.
func acceptsTemplates(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = make(map[string]string)
	}
	cmd.Annotations[templatesAccepted] = "true"
	return cmd
}

const templatesAccepted = "templates"

// refuseTemplate refuses a format with a text where the verb does not have it.
func (s *session) refuseTemplate(cmd *cobra.Command) error {
	if name, _ := templateOf(s.output); name == "" || cmd.Annotations[templatesAccepted] != "" {
		return nil
	}
	return usagef(cmd, "-o %s is not known here, only %s", s.output, strings.Join(formats, ", "))
}

// relaxed is a path without braces or the first dot, which kubectl completes.
var relaxed = regexp.MustCompile(`^\{\.?([^{}]+)\}$|^\.?([^{}]+)$`)

// completePath writes .metadata.name and metadata.name as {.metadata.name}.
func completePath(text string) string {
	m := relaxed.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return "{." + m[1] + m[2] + "}"
}

// newPath compiles a JSONPath. What a path does not find is nothing, as with kubectl.
func newPath(name, text string) (*jsonpath.JSONPath, error) {
	path := jsonpath.New(name).AllowMissingKeys(true)
	if err := path.Parse(text); err != nil {
		return nil, fmt.Errorf("%s is no JSONPath: %w", text, err)
	}
	return path, nil
}

func parseJSONPath(text string) (templated, error) {
	path, err := newPath("output", completePath(text))
	if err != nil {
		return nil, err
	}
	return func(out *bytes.Buffer, r shown) error {
		data, err := plain(r.whole())
		if err != nil {
			return err
		}
		return path.Execute(out, data)
	}, nil
}

func parseGoTemplate(text string) (templated, error) {
	t, err := template.New("output").Parse(text)
	if err != nil {
		return nil, err
	}
	return func(out *bytes.Buffer, r shown) error {
		data, err := plain(r.whole())
		if err != nil {
			return err
		}
		return t.Execute(out, data)
	}, nil
}

// parseColumns reads NAME:PATH,NAME:PATH.
func parseColumns(text string) (templated, error) {
	var t table
	var paths []*jsonpath.JSONPath
	for _, column := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		name, path, found := strings.Cut(strings.TrimSpace(column), ":")
		if !found || name == "" || path == "" {
			return nil, fmt.Errorf("%q is no column: write it as NAME:.path.to.value", column)
		}
		compiled, err := newPath(name, completePath(path))
		if err != nil {
			return nil, err
		}
		t.header, paths = append(t.header, name), append(paths, compiled)
	}
	return func(out *bytes.Buffer, r shown) error {
		lines := table{header: t.header}
		if r.bare {
			lines.header = nil
		}
		for _, item := range r.items {
			data, err := plain(item)
			if err != nil {
				return err
			}
			cells := make([]string, len(paths))
			for i, path := range paths {
				if cells[i], err = cellOf(path, data); err != nil {
					return err
				}
			}
			lines.add(cells...)
		}
		out.WriteString(lines.text(false, plainText))
		return nil
	}, nil
}

// plainText paints nothing.
func plainText(_ colour, text string) string { return text }

// cellOf is what a path finds, as a cell.
func cellOf(path *jsonpath.JSONPath, data any) (string, error) {
	found, err := path.FindResults(data)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, values := range found {
		for _, v := range values {
			texts = append(texts, textOf(v.Interface()))
		}
	}
	if len(texts) == 0 {
		return "<none>", nil
	}
	return strings.Join(texts, ","), nil
}

// textOf is a value in one line.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "<none>"
	case string:
		return v
	case map[string]any, []any:
		return string(mustJSON(v))
	}
	return fmt.Sprint(v)
}

// whole is what a template is given: the one item, or an object with the list of them.
func (r *shown) whole() *value.Value {
	if r.single {
		return r.items[0]
	}
	return value.NewMap(value.Member{Name: "items", Value: value.NewList(r.items...)})
}

// plain is a value as templates know it: whole numbers as int64, others as float64, as kubectl has them.
func plain(v *value.Value) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(v.JSON()))
	decoder.UseNumber()
	var data any
	if err := decoder.Decode(&data); err != nil {
		return nil, dovetail.AsError(err)
	}
	return withNumbers(data), nil
}

func withNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = withNumbers(member)
		}
	case []any:
		for i, item := range v {
			v[i] = withNumbers(item)
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if n, err := v.Float64(); err == nil && !strings.ContainsAny(v.String(), "eE") {
			return n
		}
		return v // larger than both
	}
	return v
}

// showTemplated writes the result by a template.
func (s *session) showTemplated(r shown) error {
	show, err := parseTemplate(s.output)
	if err != nil {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Err: errUsage, Message: "-o " + string(s.output) + ": " + err.Error(), Remedy: "see `dovetail help output`"}
	}
	var out bytes.Buffer
	if err := show(&out, r); err != nil {
		name, _ := templateOf(s.output)
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the " + name + " cannot be applied to what was found: " + err.Error(), Remedy: "look at it with -o yaml"}
	}
	fmt.Fprint(s.Out, out.String())
	return nil
}

// completeFormats suggests the formats that the verb has.
func completeFormats(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := slices.Clone(formats)
	if cmd.Annotations[templatesAccepted] != "" {
		for _, name := range templates {
			found = append(found, name+"=", name+"-file=")
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
