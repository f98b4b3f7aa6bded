package kubeapi

import (
	"bytes"
	"context"
	"net/http"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// reviewGroup is the group of access reviews: clients ask what they may do, to show only that.
const reviewGroup = "authorization.k8s.io"

// rightsOf are the rights that a verb of the Kubernetes API takes, all of them; nil for a verb that there is not.
func rightsOf(verb string) []dovetail.Right {
	switch verb {
	case "get", "list", "watch":
		return []dovetail.Right{dovetail.RightRead}
	case "create":
		return []dovetail.Right{dovetail.RightCreate}
	case "update", "patch":
		return []dovetail.Right{dovetail.RightUpdate}
	case "delete", "deletecollection":
		return []dovetail.Right{dovetail.RightDelete}
	case "*":
		return []dovetail.Right{dovetail.RightRead, dovetail.RightCreate, dovetail.RightUpdate, dovetail.RightDelete}
	}
	return nil
}

// review answers whether the principal may do what a SelfSubjectAccessReview asks about: with the object that it names, or with some object
// where it names none.
func (a *API) review(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	given, err := reviewed(call, &authorizationv1.SelfSubjectAccessReview{})
	if err != nil {
		return nil, err
	}
	allowed, reason := true, "" // of paths that are no resources
	if about := given.At("spec", "resourceAttributes"); about != nil {
		allowed, reason = a.allows(ctx, about)
	}
	spec := given.Get("spec")
	if spec == nil {
		spec = value.NewMap()
	}
	status := value.NewMap(value.Member{Name: "allowed", Value: value.NewBool(allowed)})
	if reason != "" {
		status.Set("reason", value.NewString(reason))
	}
	answer := value.NewMap(value.Member{Name: memberKind, Value: value.NewString("SelfSubjectAccessReview")}, value.Member{Name: memberAPIVersion, Value: value.NewString(reviewGroup + "/" + version)},
		value.Member{Name: memberMetadata, Value: value.NewMap()}, value.Member{Name: "spec", Value: spec}, value.Member{Name: memberStatus, Value: status})
	return &httpapi.Response{Status: http.StatusCreated, Text: &httpapi.Text{MediaType: mediaJSON, Data: answer.JSON()}}, nil
}

// reviewed reads the review of a request. Clients that know the type send protobuf, whatever discovery says.
func reviewed(call *httpapi.Request, review interface{ Unmarshal(data []byte) error }) (*value.Value, error) {
	if mediaType(call) != mediaProtobuf {
		return object(call)
	}
	var envelope runtime.Unknown
	text, isProtobuf := bytes.CutPrefix(call.Text, []byte("k8s\x00"))
	err := envelope.Unmarshal(text)
	if err == nil {
		err = review.Unmarshal(envelope.Raw)
	}
	if err != nil || !isProtobuf {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body is no review in protobuf", Remedy: "send " + mediaJSON, Err: err}
	}
	return value.ParseJSON(encode(review), call.Limits)
}

// allows reports whether the principal has the rights that attributes ask for, and why not.
func (a *API) allows(ctx context.Context, about *value.Value) (allowed bool, reason string) {
	text := func(name string) string {
		text, _ := about.Get(name).Str()
		return text
	}
	rights := rightsOf(text("verb"))
	if rights == nil {
		return false, "the verb " + text("verb") + " is not served"
	}
	scope := store.Scope{AnyKind: true}
	switch plural := text("resource"); {
	case text("group") == definitionGroup && plural == definitionResource.Name:
		if !slices.Contains(definitionResource.Verbs, text("verb")) {
			return false, "the ref-schema defines kinds: definitions are only read, and not watched"
		}
		return true, ""
	case plural == "*", text("group") == "*", text("group") == "" && plural == "namespaces":
	default:
		r, err := a.catalog().resource(text("group"), version, plural)
		if err != nil {
			return false, dovetail.AsError(err).Message
		}
		scope = store.Scope{Kinds: []string{r.of.Name}}
		switch name, namespace := text("name"), text("namespace"); {
		case name != "":
			scope = store.Scope{}
			scope.ID, err = r.id(namespace, name)
		case namespace != "" && r.namespaced():
			scope.ID, err = r.under(namespace)
		}
		if err != nil {
			return false, dovetail.AsError(err).Message
		}
	}
	missing := slices.IndexFunc(rights, func(right dovetail.Right) bool {
		scope.Right = right
		return !a.store.MayWithin(ctx, scope)
	})
	if missing >= 0 {
		return false, "the right to " + string(rights[missing]) + " is missing"
	}
	return true, ""
}
