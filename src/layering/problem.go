package layering

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// mediaType is that of all bodies and answers.
const mediaType = "application/x-yaml"

// failure shows an error as clients of the older system read it: a Status with the class of the error. Of many errors
// messageList has the first dovetail.MaxErrors, and errorCount counts all.
func failure(e *dovetail.Error) *httpapi.Text {
	return &httpapi.Text{Status: statusOf(e.Code), MediaType: mediaType, Data: yaml.Marshal(failureBody(e))}
}

func failureBody(e *dovetail.Error) *value.Value {
	status := statusOf(e.Code)
	found := leaves(e)
	messages := value.NewList()
	for _, part := range found.Kept() {
		messages.Items = append(messages.Items, message(part))
	}
	what := e.Message
	if found.Omitted() > 0 {
		what += "; the first " + strconv.Itoa(len(found.Kept())) + " are listed"
	}
	code := fmt.Sprintf("%d %s", status, problem.Title(status))
	text := value.NewString
	return value.NewMap(
		value.Member{Name: "kind", Value: text("Status")},
		value.Member{Name: "apiVersion", Value: text("v1.0")},
		value.Member{Name: "metadata", Value: value.NewMap()},
		value.Member{Name: "status", Value: text("Failure")},
		value.Member{Name: "message", Value: text(what)},
		value.Member{Name: "reason", Value: text("Unspecified")},
		value.Member{Name: "details", Value: value.NewMap(
			value.Member{Name: "errorType", Value: text(classOf(e))},
			value.Member{Name: "errorCount", Value: value.NewNumber(int64(found.Total()))},
			value.Member{Name: "messageList", Value: messages})},
		value.Member{Name: "code", Value: text(code)},
		value.Member{Name: "retry", Value: value.NewBool(status >= http.StatusInternalServerError || status == http.StatusTooManyRequests)})
}

// leaves are the single errors in one, and how many it leaves out.
func leaves(e *dovetail.Error) *dovetail.Errors {
	all := &dovetail.Errors{}
	if len(e.Errors) == 0 {
		all.Add(e)
	}
	for _, part := range e.Errors {
		all.Merge(leaves(part))
	}
	all.Count(e.Omitted())
	return all
}

// parts are the single errors in one that it describes.
func parts(err error) []*dovetail.Error { return leaves(dovetail.AsError(err)).Kept() }

// message shows a single error, with its place, and the documents that it is about.
func message(e *dovetail.Error) *value.Value {
	text := value.NewString
	m := value.NewMap(
		value.Member{Name: "message", Value: text(e.Message)},
		value.Member{Name: "error", Value: value.NewBool(true)},
		value.Member{Name: "kind", Value: text("ValidationMessage")},
		value.Member{Name: "level", Value: text("Error")},
		value.Member{Name: "name", Value: text(classOf(e))})
	if e.Remedy != "" {
		m.Set("diagnostic", text(e.Remedy))
	}
	if at := e.Position.String(); at != "" {
		m.Set("source", text(at))
	}
	if id, is := rendering.DocumentOf(e); is && id != (rendering.ID{}) {
		m.Set("documents", value.NewList(value.NewMap(value.Member{Name: "schema", Value: text(id.Schema)},
			value.Member{Name: "name", Value: text(id.Name)}, value.Member{Name: "layer", Value: text(id.Layer)})))
	}
	if e.BlockedBy != nil {
		blocked := value.NewList()
		for _, id := range e.BlockedBy.IDs {
			blocked.Items = append(blocked.Items, text(string(id)))
		}
		m.Set("blockedBy", blocked)
	}
	return m
}

// statusOf is the HTTP status of a code: that of all of Dovetail, except one that clients of the older system do not know.
func statusOf(code dovetail.Code) int {
	if code == dovetail.CodeUnprocessable {
		return http.StatusBadRequest
	}
	return problem.Status(code)
}

// classOf names the class of an error: its reason, or that of a plain HTTP error, as HTTPNotFound.
func classOf(e *dovetail.Error) string {
	if e.Reason != "" {
		return e.Reason
	}
	return "HTTP" + strings.ReplaceAll(problem.Title(statusOf(e.Code)), " ", "")
}
