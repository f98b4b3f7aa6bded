package kubeapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

type description = map[string]any

// getOpenAPI answers where the groups are described, as OpenAPI of version 3.
func (a *API) getOpenAPI(context.Context, *httpapi.Request) (*httpapi.Response, error) {
	c := a.catalog()
	paths := make(description)
	for _, g := range c.groups {
		path := "apis/" + g.name + "/" + version
		paths[path] = description{"serverRelativeURL": "/openapi/v3/" + path + "?hash=" + c.model.Hash()}
	}
	return reply(http.StatusOK, description{"paths": paths}), nil
}

func (a *API) getOpenAPIOf(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	g, err := a.catalog().group(call.Path["group"])
	if err == nil && call.Path["version"] != version {
		err = notServed("the version "+call.Path["version"]+" of "+g.name, version)
	}
	if err != nil {
		return nil, err
	}
	schemas, paths := description{objectMeta: metaSchema()}, make(description)
	for _, r := range g.resources {
		schemas[r.schemaName()] = r.schema(description{"allOf": []any{description{"$ref": "#/components/schemas/" + objectMeta}}})
		for _, o := range r.operations() {
			o.describe(paths)
		}
	}
	return reply(http.StatusOK, description{"openapi": "3.0.0", "info": openAPIInfo, "paths": paths, "components": description{"schemas": schemas}}), nil
}

var openAPIInfo = description{"title": "Dovetail", "version": version}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// metaSchema describes the metadata of all objects.
func metaSchema() description {
	return description{"type": "object", "description": "Names the object within its namespace, and what the server says of it.",
		"properties": description{memberName: text("The name within the namespace: the values of the key that are the object's own, joined by colons."), memberNamespace: text("The values of the key of the parent, joined by colons."),
			"uid": text("New at each creation."), "resourceVersion": text("The version of the object; given with a write, that is done only if it is still this one."),
			"creationTimestamp": description{"type": "string", "format": "date-time"},
			"labels":            description{"type": "object", "additionalProperties": description{"type": "string"}},
			"annotations":       description{"type": "object", "additionalProperties": description{"type": "string"}}},
		"x-kubernetes-preserve-unknown-fields": true}
}

func text(about string) description { return description{"type": "string", "description": about} }

// schemaName is that of the resource's schema: its group backwards, its version and its kind.
func (r *resource) schemaName() string {
	parts := strings.Split(r.group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, version, r.kind), ".")
}

func (r *resource) gvk() description {
	return description{"group": r.group, "version": version, memberKind: r.kind}
}

// schema describes the objects by the JSON Schema of the kind's data, where it has one, and the description of their metadata.
func (r *resource) schema(metadata description) description {
	properties := make(description)
	s := description{"type": "object"}
	if data := r.of.DataSchema(); data != nil {
		var own description
		if err := json.Unmarshal(data, &own); err == nil {
			if more, ok := own["properties"].(map[string]any); ok {
				for name, property := range more {
					properties[name] = plain(property)
				}
			}
			if required, ok := own["required"]; ok {
				s["required"] = required
			}
		}
	}
	properties[memberAPIVersion], properties[memberKind] = text(r.apiVersion()), text(r.kind)
	properties[memberMetadata] = metadata
	s["properties"] = properties
	about := r.of.Description
	if about == "" {
		about = "A " + r.of.Name + "."
	}
	if len(r.of.ReferencedBy) > 0 || len(r.of.References) > 0 {
		about += "\n\nReferences are enforced: `dovetail explain " + r.of.Name + "` lists them."
	}
	s["description"] = about
	s["x-kubernetes-group-version-kind"] = []any{r.gvk()}
	s["x-kubernetes-preserve-unknown-fields"] = true
	return s
}

// plain leaves out of a JSON Schema what OpenAPI has not: several types and null, references, and what is not a schema.
func plain(property any) any {
	object, ok := property.(map[string]any)
	if !ok {
		return description{}
	}
	made := make(description)
	for name, v := range object {
		switch name {
		case "description", "format", "enum", "default":
			made[name] = v
		case "type":
			if text, single := v.(string); single && text != "null" {
				made[name] = text
			}
		case "items", "additionalProperties":
			if _, isSchema := v.(map[string]any); isSchema {
				made[name] = plain(v)
			}
		case "properties":
			members := make(description)
			if all, ok := v.(map[string]any); ok {
				for member, s := range all {
					members[member] = plain(s)
				}
			}
			made[name] = members
		}
	}
	if made["type"] == "array" && made["items"] == nil {
		made["items"] = description{} // OpenAPI wants it
	}
	return made
}

// operation is a verb of a resource.
type operation struct {
	*resource
	path, method, action string
	query                []string
	body                 []string // the media types of the object that is sent, nil if there is none
}

// operations are the verbs of a resource.
func (r *resource) operations() []operation {
	base := "/apis/" + r.apiVersion()
	if r.namespaced() {
		base += "/namespaces/{namespace}"
	}
	base += "/" + r.plural
	one := base + "/{name}"
	object, write := []string{mediaJSON}, []string{paramDryRun, paramManager, "fieldValidation"}
	return []operation{
		{r, base, "get", "list", []string{"labelSelector", "fieldSelector", paramLimit, "continue", paramVersion, paramWatch}, nil},
		{r, base, "post", "post", write, object},
		{r, one, "get", "get", []string{paramVersion}, nil},
		{r, one, "put", "put", write, object},
		{r, one, "patch", "patch", append([]string{paramForce}, write...), []string{mediaMerge, mediaPatch, mediaApply}},
		{r, one, "delete", "delete", []string{paramDryRun, paramPropagation}, nil},
	}
}

// describe adds the operation to the paths of OpenAPI 3.
func (o *operation) describe(paths description) {
	content := func(mediaTypes ...string) description {
		made := make(description)
		for _, mediaType := range mediaTypes {
			made[mediaType] = description{"schema": description{"$ref": "#/components/schemas/" + o.schemaName()}}
		}
		return description{"content": made}
	}
	answer := content(mediaJSON)
	answer["description"] = "OK"
	d := o.added(paths, o.parameters("schema", description{"type": "string"}), answer)
	if o.body != nil {
		d["requestBody"] = content(o.body...)
	}
}

// parameters are those of the path and of the query, with the member by which a version of OpenAPI says that they are texts.
func (o *operation) parameters(member string, text any) []any {
	all := []any{}
	for _, name := range []string{memberNamespace, memberName} {
		if strings.Contains(o.path, "{"+name+"}") {
			all = append(all, description{"name": name, "in": "path", "required": true, member: text})
		}
	}
	for _, name := range o.query {
		all = append(all, description{"name": name, "in": "query", member: text})
	}
	return all
}

// added adds what both versions of OpenAPI say of an operation to the paths, and returns it.
func (o *operation) added(paths description, parameters []any, answer description) description {
	d := description{
		"operationId": o.schemaName() + "." + o.action, "x-kubernetes-action": o.action, "x-kubernetes-group-version-kind": o.gvk(),
		"parameters": parameters, "responses": description{"200": answer},
	}
	path, ok := paths[o.path].(description)
	if !ok {
		path = make(description)
		paths[o.path] = path
	}
	path[o.method] = d
	return d
}
