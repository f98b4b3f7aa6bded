package httpapi

import (
	"net/http"
	"strconv"
	"strings"
)

// queryOf lists the parameters of an operation on a resource beside those of its path.
func queryOf(r *route, verb string, m *method) []string {
	switch r.what + " " + verb {
	case "collection GET":
		return []string{"limit", "continue", "labelSelector", "fieldSelector", "view", "content", "watch", "after", "Last-Event-ID"}
	case "collection DELETE":
		return []string{"dryRun", "cascade", "labelSelector", "fieldSelector", messageHeader}
	case "item GET":
		return []string{"view", "content", "depth", "limit", "continue", "watch", "reveal", "after", "Last-Event-ID", "If-Match", "If-None-Match"}
	case "item PUT":
		return []string{"dryRun", waitParameter, "If-Match", "If-None-Match", keyHeader, messageHeader}
	case "item PATCH":
		return []string{"dryRun", waitParameter, "If-Match", keyHeader, messageHeader}
	case "part PUT":
		return []string{"dryRun", "If-Match", keyHeader, messageHeader}
	case "item DELETE":
		return []string{"dryRun", "cascade", "If-Match", keyHeader, messageHeader}
	case "part GET":
		if m.offers&files != 0 {
			return []string{"filename", "If-Match", "If-None-Match"}
		}
		return []string{"If-Match", "If-None-Match"}
	}
	if m.action != nil {
		return []string{"dryRun", "If-Match", keyHeader, messageHeader}
	}
	return []string{"dryRun", waitParameter, keyHeader, messageHeader}
}

// bodyOf describes what an operation on a resource takes, nil if there is nothing.
func bodyOf(r *route, verb string, m *method) object {
	switch {
	case verb == http.MethodGet || verb == http.MethodDelete:
		return nil
	case m.action != nil:
		return object{"required": false, "description": "any JSON value; it is recorded with the action", "content": texts(object{})}
	case r.what == partRoute:
		return object{"required": true, "content": texts(refTo("schemas", "Status"))}
	case verb == http.MethodPatch:
		content := texts(object{"type": "object"})
		content["application/merge-patch+json"] = object{"schema": object{"type": "object"}}
		return object{"required": true, "description": "a JSON merge patch (RFC 7396)", "content": content}
	}
	content := texts(dataRef(r))
	if len(r.kind.Content) > 0 {
		content["multipart/form-data"] = object{"schema": multipartSchema(r)}
	}
	return object{"required": true, "content": content}
}

// texts offers a schema as JSON and as YAML.
func texts(schema object) object {
	return object{"application/json": object{"schema": schema}, "application/yaml": object{"schema": schema}}
}

// dataRef is the schema of the data of the route's kind.
func dataRef(r *route) object {
	if !describesData(r.kind) {
		return refTo("schemas", "Resource")
	}
	return refTo("schemas", schemaName(r.kind))
}

// stored is the schema of data as it is answered: with a status beside it, which the schema of the
// kind may not know.
func stored(r *route) object {
	if !describesData(r.kind) {
		return refTo("schemas", "Resource")
	}
	return object{"anyOf": list{dataRef(r), refTo("schemas", "Resource")}}
}

func multipartSchema(r *route) object {
	properties := object{metadataPart: dataRef(r)}
	required := list{metadataPart}
	for _, part := range r.kind.Content {
		file := object{"type": "string", "contentMediaType": "application/octet-stream"}
		if part.Multiple {
			file = object{"type": "array", "items": file}
		}
		properties[part.Name] = file
		if part.Required {
			required = append(required, part.Name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// answerOf describes the body of a good answer to an operation on a resource.
func answerOf(r *route, verb string, m *method) object {
	switch {
	case m.offers&files != 0:
		return object{"*/*": object{"schema": object{}}}
	case r.what == partRoute && strings.HasSuffix(r.template, "/content"):
		return texts(object{"type": "array", "items": refTo("schemas", "File")})
	case r.what == partRoute:
		return texts(refTo("schemas", "Status"))
	case verb != http.MethodGet:
		return texts(stored(r))
	}
	content := texts(stored(r))
	if r.what == collectionRoute {
		content = texts(object{"anyOf": list{object{"type": "array", "items": stored(r)}, pageOf(stored(r))}})
	}
	content["text/event-stream"] = eventsSchema()
	if m.offers&multipartForm != 0 {
		content["multipart/form-data"] = object{"schema": multipartSchema(r)}
	}
	if m.offers&fileContent != 0 {
		content["application/octet-stream"] = object{"schema": object{"contentMediaType": "application/octet-stream"}}
	}
	return content
}

// responses describes all answers of an operation.
func responses(r *route, verb string, m *method, content object) object {
	all := object{"default": refTo("responses", "Problem")}
	for _, code := range problemCodes(r, verb) {
		all[strconv.Itoa(code)] = refTo("responses", "Problem")
	}
	codes := []int{m.code}
	if m.code == 0 { // PUT by convention
		codes = []int{http.StatusOK, http.StatusCreated}
	}
	switch r.what + " " + verb {
	case "item GET", "part GET":
		all["304"] = object{"description": "the version in If-None-Match is current"}
	case "item DELETE", "collection DELETE":
		all["200"] = object{"description": "with cascade=plan: what would be deleted", "content": texts(object{})}
	}
	for _, code := range codes {
		answer := object{"description": "done"}
		if m.view || r.kind != nil {
			answer["headers"] = object{changeSetHeader: refTo("headers", changeSetHeader), positionHeader: refTo("headers", positionHeader)}
		}
		if code != http.StatusNoContent {
			answer["content"] = content
		}
		all[strconv.Itoa(code)] = answer
	}
	return all
}

// problemCodes are the statuses of the problems that are part of an operation's everyday life.
func problemCodes(r *route, verb string) []int {
	if r.kind == nil {
		return nil
	}
	codes := []int{http.StatusBadRequest}
	if verb == http.MethodGet {
		if r.what != collectionRoute {
			codes = append(codes, http.StatusPreconditionFailed)
		}
		return append(codes, http.StatusNotFound)
	}
	codes = append(codes, http.StatusConflict)
	if r.what != collectionRoute {
		codes = append(codes, http.StatusNotFound, http.StatusPreconditionFailed)
	}
	if verb != http.MethodDelete {
		codes = append(codes, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	return codes
}
