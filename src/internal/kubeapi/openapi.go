package kubeapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/httpapi"
)

type description = map[string]any

// getOpenAPI answers where the groups are described, as OpenAPI of version 3.
func (a *API) getOpenAPI(context.Context, *httpapi.Call) (*httpapi.Reply, error) {
	c := a.catalog()
	paths := make(description)
	for _, g := range c.groups {
		path := "apis/" + g.name + "/" + version
		paths[path] = description{"serverRelativeURL": "/openapi/v3/" + path + "?hash=" + c.model.Hash()}
	}
	return reply(http.StatusOK, description{"paths": paths}), nil
}

func (a *API) getOpenAPIOf(_ context.Context, call *httpapi.Call) (*httpapi.Reply, error) {
	g, err := a.catalog().group(call.Path["group"])
	if err == nil && call.Path["version"] != version {
		err = notServed("the version "+call.Path["version"]+" of "+g.name, version)
	}
	if err != nil {
		return nil, err
	}
	schemas, paths := make(description), make(description)
	schemas[objectMeta] = description{"type": "object", "description": "Names the object within its namespace, and what the server says of it.",
		"properties": description{memberName: text("The name within the namespace: the values of the key that are the object's own, joined by colons."), memberNamespace: text("The values of the key of the parent, joined by colons."),
			"uid": text("New at each creation."), "resourceVersion": text("The version of the object; given with a write, that is done only if it is still this one."),
			"creationTimestamp": description{"type": "string", "format": "date-time"},
			"labels":            description{"type": "object", "additionalProperties": description{"type": "string"}},
			"annotations":       description{"type": "object", "additionalProperties": description{"type": "string"}}},
		"x-kubernetes-preserve-unknown-fields": true}
	for _, r := range g.resources {
		schemas[r.schemaName()] = r.schema()
		r.describePaths(paths)
	}
	return reply(http.StatusOK, description{"openapi": "3.0.0", "info": description{"title": "Dovetail", "version": version}, "paths": paths, "components": description{"schemas": schemas}}), nil
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

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

// schema describes the objects by the JSON Schema of the kind's data, where it has one.
func (r *resource) schema() description {
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
	properties[memberMetadata] = description{"allOf": []any{description{"$ref": "#/components/schemas/" + objectMeta}}}
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

// plain leaves out of a JSON Schema what OpenAPI 3.0 has not: several types, references, and what is not a schema.
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
			if text, single := v.(string); single {
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
	return made
}

// describePaths describes the verbs.
func (r *resource) describePaths(paths description) {
	base := "/apis/" + r.apiVersion()
	if r.namespaced() {
		base += "/namespaces/{namespace}"
	}
	base += "/" + r.plural
	query := func(names ...string) []any {
		var all []any
		for _, name := range names {
			all = append(all, description{"name": name, "in": "query", "schema": description{"type": "string", "uniqueItems": true}})
		}
		return all
	}
	body := description{"content": description{mediaJSON: description{"schema": description{"$ref": "#/components/schemas/" + r.schemaName()}}}}
	verb := func(action string, parameters []any, takesBody bool) description {
		d := description{"operationId": action + r.kind, "x-kubernetes-action": action, "x-kubernetes-group-version-kind": r.gvk(), "parameters": parameters,
			"responses": description{"200": description{"description": "OK", "content": body["content"]}}}
		if takesBody {
			d["requestBody"] = body
		}
		return d
	}
	write := query(paramDryRun, "fieldManager", "fieldValidation")
	paths[base] = description{"get": verb("list", query("labelSelector", "fieldSelector", paramLimit, "continue", paramVersion, paramWatch), false), "post": verb("post", write, true)}
	paths[base+"/{name}"] = description{"get": verb("get", query(paramVersion), false), "put": verb("put", write, true), "patch": verb("patch", write, true),
		"delete": verb("delete", query(paramDryRun, paramPropagation), false)}
}
