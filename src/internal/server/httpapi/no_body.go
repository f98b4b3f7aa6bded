package httpapi

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/value"
)

// maxNoBody is how much is read of a body that must say nothing.
const maxNoBody = 64 << 10

// checkNoBody refuses the body of a method that takes none: a selection, a version or a dry run in it would not be done. A body whose
// length is not known may be empty, and that of a POST an object without members, which some clients send with every POST.
func (x *requestContext) checkNoBody() error {
	if x.r.ContentLength == 0 || x.method.readsBody(x.r.Method) {
		return nil
	}
	if x.r.ContentLength > maxNoBody {
		return x.takesNoBody()
	}
	data, err := io.ReadAll(http.MaxBytesReader(x.w.ResponseWriter, x.r.Body, maxNoBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return x.takesNoBody()
	case err != nil:
		return bodyError(err, maxNoBody)
	case len(bytes.TrimSpace(data)) == 0:
		return nil
	case x.r.Method != http.MethodPost:
		return x.takesNoBody()
	}
	return x.checkNoMembers(data)
}

func (x *requestContext) takesNoBody() error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: x.method.name + " takes no body",
		Remedy: "leave it out: the path, the query and the headers say what the request asks for"}
}

// checkNoMembers refuses each member of the body of a method that takes none, and names the parameter or header that was meant.
func (x *requestContext) checkNoMembers(data []byte) error {
	f, _, err := x.bodyType()
	if err != nil {
		return err
	}
	values, err := parse(f, data, x.parsing(maxNoBody))
	if err != nil {
		return err
	}
	var errs dovetail.Errors
	elsewhere := x.method.elsewhere(x.route, x.r.Method)
	for _, v := range values {
		if v.Kind != value.Map {
			return x.takesNoBody()
		}
		x.refuseMembers(&errs, v, elsewhere)
	}
	return errs.Err("the body is refused")
}

func (x *requestContext) refuseMembers(errs *dovetail.Errors, v *value.Value, elsewhere map[string]string) {
	for _, m := range v.Members {
		refused := &dovetail.Error{Code: dovetail.CodeInvalid, Position: m.In(""), Message: "the body has the unknown member " + decode.Quote(m.Name),
			Remedy: "leave it out: " + x.method.name + " takes no body"}
		refused.Position.Path = value.Pointer(m.Name)
		if near := suggest.Nearest(m.Name, slices.Sorted(maps.Keys(elsewhere))); near != "" {
			refused.Remedy = "did you mean " + elsewhere[near] + "? " + x.method.name + " takes no body"
		}
		errs.Add(refused)
	}
}

// parametersOn lists the parameters and headers that a method of a route has, as its description does, without those of the path and
// without those that only a service has.
func (m *method) parametersOn(r *route, verb string) (names []string) {
	switch {
	case m.endpoint != nil:
		names, _, _ = m.endpoint.describe()
	case r.kind != nil:
		names = queryOf(r, verb, m)
	default:
		names = m.query
	}
	return names
}

// elsewhere are the parameters and headers of a method, by the names that members of a body would have.
func (m *method) elsewhere(r *route, verb string) map[string]string {
	known := make(map[string]string)
	if m.endpoint != nil {
		for _, q := range m.endpoint.Query {
			known[q.Name] = "the query parameter " + q.Name
		}
	}
	for _, name := range m.parametersOn(r, verb) {
		switch name {
		case keyHeader:
			known["idempotencyKey"] = "the header " + name
		case messageHeader:
			known["message"] = "the header " + name
		case "If-Match":
			known["version"] = "the header " + name
		default:
			known[name] = "the query parameter " + name
		}
	}
	return known
}
