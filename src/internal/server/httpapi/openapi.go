package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// object is a JSON object under construction.
type object = map[string]any

// list is a JSON list under construction.
type list = []any

// getOpenAPI answers the description of all routes.
func getOpenAPI(x *requestContext) error {
	return x.answer(http.StatusOK, x.routing.openAPI())
}

// openAPI describes all routes in OpenAPI 3.1.
func openAPI(t *routing, a *API) []byte {
	d := &description{paths: object{}, ids: make(map[string]bool), parameters: commonParameters()}
	d.schemas = commonSchemas()
	for _, kind := range t.model.Kinds() {
		if describesData(kind) && !kind.Abstract {
			d.schemas[schemaName(kind)] = dataSchema(kind)
		}
	}
	for _, service := range a.options.Services {
		if t.off[service.Name] != nil {
			continue
		}
		for name, schema := range service.Schemas {
			d.schemas[name] = schema
		}
	}
	routes := slices.Clone(t.routes)
	for _, r := range a.endpoints {
		if !r.isOff(t) {
			routes = append(routes, r)
		}
	}
	slices.SortFunc(routes, func(a, b *route) int { return strings.Compare(a.template, b.template) })
	for _, r := range routes {
		d.describe(r)
	}
	return encodeJSON(object{
		"openapi": "3.1.0",
		"info": object{
			"title":       "Dovetail",
			"version":     cmp.Or(a.options.Version, "unreleased"),
			"description": "Resources of the ref-schema " + t.model.Hash() + ". A singular spelling of a path can be read, too.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers": list{object{"url": "/"}},
		"paths":   d.paths,
		"components": object{
			"schemas":    d.schemas,
			"parameters": d.parameters,
			"headers":    commonHeaders(),
			"responses":  commonResponses(),
		},
	})
}

// isOff reports whether the route is that of a service that is off.
func (r *route) isOff(t *routing) bool {
	for _, m := range r.methods {
		if t.off[m.service] != nil {
			return true
		}
	}
	return false
}

// description is an OpenAPI document in the making.
type description struct {
	paths      object
	schemas    object
	parameters object
	ids        map[string]bool // operation ids that are taken
}

// describe adds a route with its verbs.
func (d *description) describe(r *route) {
	path := object{}
	var parameters list
	for _, s := range templateElements(r.template) {
		name := "path-" + s
		if d.parameters[name] == nil {
			d.parameters[name] = object{"name": s, "in": "path", "required": true, "description": "the " + s,
				"schema": object{"type": "string", "minLength": 1}}
		}
		parameters = append(parameters, refTo("parameters", name))
	}
	if parameters != nil {
		path["parameters"] = parameters
	}
	for verb, m := range r.methods {
		path[strings.ToLower(verb)] = d.operation(r, verb, m)
	}
	d.paths[r.template] = path
}

// templateElements returns the names in braces.
func templateElements(template string) []string {
	var names []string
	for _, text := range strings.Split(template, "/") {
		if name, variable := strings.CutPrefix(text, "{"); variable {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

func (d *description) operation(r *route, verb string, m *method) object {
	var query []string
	var body, content object
	op := object{"operationId": d.operationID(verb, r.template), "summary": m.summary}
	var parameters list
	switch {
	case m.endpoint != nil:
		parameters = m.endpoint.parameters()
		query, body, content = m.endpoint.describe()
		op["tags"] = list{m.service}
	case r.kind == nil:
		query, body, content = slices.Clone(m.query), m.body, m.answer
	default:
		query, body, content = queryOf(r, verb, m), bodyOf(r, verb, m), answerOf(r, verb, m)
		op["tags"] = list{r.kind.Name}
		if r.what == collectionRoute && (verb == http.MethodGet || verb == http.MethodDelete) {
			parameters = describeQueries(r.kind)
		}
	}
	if r.kind == nil && body != nil {
		body = object{"required": true, "content": body}
	}
	if m.past {
		query = append(query, atParameter)
	}
	if m.view || r.kind != nil {
		query = append(query, changeSetParameter)
	}
	for _, name := range query {
		parameters = append(parameters, refTo("parameters", name))
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	if body != nil {
		op["requestBody"] = body
	}
	op["responses"] = responses(r, verb, m, content)
	return op
}

// operationID makes a name of the verb and the path: getProjectsByProjectApps.
func (d *description) operationID(verb, template string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(verb))
	for _, text := range strings.Split(strings.TrimPrefix(template, api.Root), "/") {
		if name, variable := strings.CutPrefix(text, "{"); variable {
			b.WriteString("By")
			text = name
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isUnreserved(string(r)) || strings.ContainsRune("-_.~", r) }) {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	id := b.String()
	for n := 2; d.ids[id]; n++ {
		id = b.String() + strconv.Itoa(n)
	}
	d.ids[id] = true
	return id
}

func refTo(section, name string) object {
	return object{"$ref": "#/components/" + section + "/" + name}
}

// schemaName is what the data of a kind is called among the schemas.
func schemaName(kind *schema.Kind) string { return "data-" + kind.Name }

// describesData reports whether the schema of a kind's data is another than that of all.
func describesData(kind *schema.Kind) bool { return kind.DataSchema() != nil || len(kind.Rules) > 0 }

// extensionRules is the member of the schema of a kind's data that lists its rules in CEL, which JSON Schema cannot express.
const extensionRules = "x-dovetail-rules"

// dataSchema makes the JSON Schema of a kind's data one of the description's: references into the
// schema itself lead to its new place.
func dataSchema(kind *schema.Kind) any {
	rules := kind.Describe().Rules
	text := kind.DataSchema()
	if text == nil {
		return object{"allOf": list{refTo("schemas", "Resource")}, extensionRules: rules}
	}
	v, err := value.ParseStored(text, nil)
	if err != nil {
		return refTo("schemas", "Resource") // was parsed when the ref-schema was compiled
	}
	relocate(v, "#/components/schemas/"+schemaName(kind))
	if len(rules) == 0 || v.Kind != value.Map {
		return v
	}
	if listed, err := value.ParseJSON(encodeJSON(rules), value.Limits{}); err == nil {
		v.Set(extensionRules, listed)
	}
	return v
}

func relocate(v *value.Value, to string) {
	for _, item := range v.Items {
		relocate(item, to)
	}
	for _, m := range v.Members {
		if inner, found := strings.CutPrefix(m.Value.Text, "#"); found && m.Name == "$ref" && m.Value.Kind == value.String && (inner == "" || inner[0] == '/') {
			m.Value.Text = to + inner
		}
		relocate(m.Value, to)
	}
}
