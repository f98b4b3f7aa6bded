package kubeapi

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// failure shows an error as clients of the Kubernetes API read it.
func failure(e *dovetail.Error) *httpapi.Text {
	s := statusOf(e)
	return &httpapi.Text{Status: int(s.Code), MediaType: mediaJSON, Data: encode(s)}
}

// statusOf describes an error.
func statusOf(e *dovetail.Error) *metav1.Status {
	code, reason := problem.ForKubernetes(e.Code)
	s := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Message: messageOf(e), Reason: metav1.StatusReason(reason), Code: int32(code)}
	details := &metav1.StatusDetails{Name: nameOf(e), Causes: causesOf(e)}
	if e.Code == dovetail.CodeRateLimited || e.Code == dovetail.CodeUnavailable {
		details.RetryAfterSeconds = 1
	}
	if details.Name != "" || len(details.Causes) > 0 || details.RetryAfterSeconds > 0 {
		s.Details = details
	}
	return s
}

// messageOf is what clients print: what is wrong, all of it, and what to do.
func messageOf(e *dovetail.Error) string {
	text := e.Message
	if e.Remedy != "" {
		text += ": " + e.Remedy
	}
	for i, part := range e.Errors {
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		text += separator
		if field := fieldOf(part.Position); field != "" {
			text += field + ": "
		}
		text += messageOf(part)
	}
	return text
}

func nameOf(e *dovetail.Error) string {
	if key := e.Key.Key(); e.Key != "" && len(key) > 0 {
		return key[len(key)-1].Value
	}
	return ""
}

// causesOf are the parts of an error with their places, and the documents that are missing or in the way.
func causesOf(e *dovetail.Error) []metav1.StatusCause {
	var causes []metav1.StatusCause
	if e.Reason == store.ReasonFieldManager && e.Position.Path != "" {
		return []metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Message: e.Message, Field: "." + fieldOf(e.Position)}}
	}
	if len(e.Errors) == 0 && e.Position.Path != "" {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Message: e.Message, Field: fieldOf(e.Position)})
	}
	for _, id := range e.Missing {
		causes = append(causes, metav1.StatusCause{Type: metav1.CauseTypeFieldValueNotFound, Message: string(id) + " does not exist", Field: fieldOf(e.Position)})
	}
	if e.BlockedBy != nil {
		for _, id := range e.BlockedBy.IDs {
			causes = append(causes, metav1.StatusCause{Type: "InUse", Message: "in use by " + string(id)})
		}
	}
	for _, part := range e.Errors {
		causes = append(causes, causesOf(part)...)
	}
	return causes
}

// fieldOf is a place in the data as the Kubernetes API writes it: "spec.items[2].name".
func fieldOf(at dovetail.Position) string {
	parts, ok := value.SplitPointer(at.Path)
	if !ok {
		return at.Path
	}
	var b strings.Builder
	for _, part := range parts {
		switch isIndex := part != "" && strings.Trim(part, "0123456789") == ""; {
		case isIndex:
			b.WriteString("[" + part + "]")
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

const mediaJSON = "application/json"

// encode writes what is made of the API's types.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of texts and numbers
	}
	return text
}

// reply answers what encoding/json writes.
func reply(status int, v any) *httpapi.Response {
	return &httpapi.Response{Status: status, Text: &httpapi.Text{MediaType: mediaJSON, Data: encode(v)}}
}
