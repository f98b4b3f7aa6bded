package kubeapi

import (
	"context"
	"net/http"
	"strings"

	openapi "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"

	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// mediaOpenAPI2 is OpenAPI of version 2 in protobuf, the only form in which client-go reads it. It asks for it under the former name.
const (
	mediaOpenAPI2       = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	mediaOpenAPI2Former = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
)

// getOpenAPI2 answers the description of all groups as OpenAPI of version 2, which Argo CD and older clients read.
func (a *API) getOpenAPI2(_ context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	if !prefersProtobuf(call.Header) {
		return reply(http.StatusOK, a.catalog().openAPI2()), nil
	}
	data, err := a.catalog().binary()
	return &httpapi.Response{Text: &httpapi.Text{MediaType: mediaOpenAPI2, Data: data}}, err
}

// prefersProtobuf reports whether the header Accept names protobuf before JSON.
func prefersProtobuf(header http.Header) bool {
	for _, accepted := range strings.Split(strings.Join(header["Accept"], ","), ",") {
		switch name, _, _ := strings.Cut(accepted, ";"); strings.TrimSpace(name) { // the former name is no media type, by the standard
		case mediaOpenAPI2, mediaOpenAPI2Former:
			return true
		case mediaJSON:
			return false
		}
	}
	return false
}

// openAPI2Binary is the description in protobuf.
func (c *catalog) openAPI2Binary() ([]byte, error) {
	document, err := openapi.ParseDocument(encode(c.openAPI2()))
	if err != nil {
		return nil, err
	}
	return proto.Marshal(document)
}

// openAPI2 describes the resources of all groups. Objects may have members that their schemas do not name, which clients of this version take for
// mistakes: as a cluster does for such resources, it describes no members. OpenAPI 3 does.
func (c *catalog) openAPI2() description {
	definitions, paths := make(description), make(description)
	for _, r := range c.resources() {
		s := r.schema(nil)
		delete(s, "properties")
		delete(s, "required")
		definitions[r.schemaName()] = s
		for _, o := range r.operations() {
			o.describe2(paths)
		}
	}
	return description{"swagger": "2.0", "info": openAPIInfo, "paths": paths, "definitions": definitions}
}

// describe2 adds the operation to the paths of OpenAPI 2.
func (o *operation) describe2(paths description) {
	schema := description{"$ref": "#/definitions/" + o.schemaName()}
	parameters := o.parameters("type", "string")
	if o.body != nil {
		parameters = append(parameters, description{"name": "body", "in": "body", "required": true, "schema": schema})
	}
	d := o.added(paths, parameters, description{"description": "OK", "schema": schema})
	d["produces"] = []string{mediaJSON}
	if o.body != nil {
		d["consumes"] = o.body
	}
}
