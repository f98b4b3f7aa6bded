package kubeapi

import (
	"context"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/types"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// The media types of bodies.
const (
	mediaYAML      = "application/yaml"
	mediaProtobuf  = "application/vnd.kubernetes.protobuf"
	mediaMerge     = "application/merge-patch+json"
	mediaPatch     = "application/json-patch+json"
	mediaStrategic = "application/strategic-merge-patch+json"
	mediaApply     = "application/apply-patch+yaml"
	patchAttempts  = 5
	dryRunAll      = "All"
)

func mediaType(call *httpapi.Request) string {
	name, _, err := mime.ParseMediaType(call.Header.Get("Content-Type"))
	if err != nil {
		return mediaJSON
	}
	return name
}

// object reads a body that is one object.
func object(call *httpapi.Request) (*value.Value, error) {
	switch name := mediaType(call); name {
	case mediaJSON:
		return value.ParseJSON(call.Text, call.Limits)
	case mediaYAML:
		return oneOf(call)
	default:
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Message: "the media type \"" + name + "\" is not supported here", Remedy: "send " + mediaJSON + " or " + mediaYAML}
	}
}

// oneOf reads a body of YAML that is one object.
func oneOf(call *httpapi.Request) (*value.Value, error) {
	values, err := yaml.Parse("", call.Text, call.Limits)
	if err == nil && len(values) != 1 {
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body is not one object", Remedy: "send one"}
	}
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// options are those that a write gives in its query.
func options(call *httpapi.Request) (o store.Options, err error) {
	o = call.Options(nil)
	switch text := call.Query.Get(paramDryRun); text {
	case "":
	case dryRunAll:
		o.DryRun = true
	default:
		err = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "dryRun is \"" + text + "\"", Remedy: "write All, or leave it out"}
	}
	return o, err
}

// apply does an operation and answers the document.
func (a *API) apply(ctx context.Context, call *httpapi.Request, r *resource, op store.Operation, status int) (*httpapi.Response, error) {
	o, err := options(call)
	if err != nil {
		return nil, err
	}
	if op.FieldManager, err = fieldManager(call); err != nil {
		return nil, err
	}
	result, err := a.store.Apply(ctx, []store.Operation{op}, o)
	if err != nil {
		return nil, dovetail.WithoutIndex(err)
	}
	if result.Outcomes[0].Effect == store.WasCreated {
		status = http.StatusCreated
	}
	doc := result.Outcomes[0].Document
	if len(doc.Data) == 0 { // it may be written, but not read
		unread := *doc
		unread.Data = []byte("{}")
		doc = &unread
	}
	answer, err := a.shown(call, r, doc, status)
	if err == nil {
		for _, warning := range result.Outcomes[0].Warnings {
			answer.Warnings = append(answer.Warnings, warning.Message)
		}
		answer.Repeated = result.Repeated
	}
	return answer, err
}

func (a *API) create(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	s, err := a.selection(call)
	if err != nil {
		return nil, err
	}
	given, err := object(call)
	if err != nil {
		return nil, err
	}
	name, _ := given.At(memberMetadata, memberName).Str()
	if name == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{Path: "/metadata/name"}, Message: "the object has no name", Remedy: "give metadata.name; generateName is not supported"}
	}
	if s.namespaced() && s.namespace == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: s.plural + " are created in a namespace", Remedy: "name one with -n"}
	}
	if err := s.check(given, s.namespace, name); err != nil {
		return nil, err
	}
	id, err := s.id(s.namespace, name)
	if err != nil {
		return nil, err
	}
	data, err := s.data(given, nil, name)
	if err != nil {
		return nil, err
	}
	op := store.Operation{Verb: store.Create, ID: id, Data: data}
	if op.FieldManagers, err = a.createdBy(call, s.resource, given, data); err != nil {
		return nil, err
	}
	return a.apply(ctx, call, s.resource, op, http.StatusCreated)
}

// current is the data of a document that is to be written.
func (a *API) current(ctx context.Context, id dovetail.ID) (*dovetail.Document, *value.Value, error) {
	doc, err := a.store.Get(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	data, err := value.DataOf(doc, nil)
	return doc, data, err
}

func (a *API) replace(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r, id, err := a.item(call)
	if err != nil {
		return nil, err
	}
	given, err := object(call)
	if err != nil {
		return nil, err
	}
	if err := r.check(given, call.Path["namespace"], call.Path["name"]); err != nil {
		return nil, err
	}
	doc, data, err := a.current(ctx, id)
	if err != nil {
		return nil, err
	}
	before, err := r.object(doc)
	if err != nil {
		return nil, err
	}
	op := store.Operation{Verb: store.Put, ID: id, IfExists: true}
	if op.IfMatch, err = versionOf(given, doc); err != nil {
		return nil, err
	}
	if op.Data, err = r.data(given, data, call.Path["name"]); err != nil {
		return nil, err
	}
	if op.FieldManagers, err = givenManagers(given, before); err != nil {
		return nil, err
	}
	return a.apply(ctx, call, r, op, http.StatusOK)
}

// patch changes an object as it is, and again if another one changes it meanwhile, unless the patch says which version it is for.
func (a *API) patch(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r, id, err := a.item(call)
	if err != nil {
		return nil, err
	}
	if mediaType(call) == mediaApply {
		return a.applyConfiguration(ctx, call, r, id)
	}
	if call.Query.Get(paramForce) != "" {
		return nil, &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "force is for server-side apply", Remedy: "leave it out, or send " + mediaApply}
	}
	change, err := patchOf(call)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		doc, data, err := a.current(ctx, id)
		if err != nil {
			return nil, err
		}
		before, err := r.object(doc)
		if err != nil {
			return nil, err
		}
		after, err := change(before)
		if err != nil {
			return nil, err
		}
		if err := r.check(after, call.Path["namespace"], call.Path["name"]); err != nil {
			return nil, err
		}
		op := store.Operation{Verb: store.Put, ID: id}
		if op.IfMatch, err = versionOf(after, doc); err != nil {
			return nil, err
		}
		own := len(op.IfMatch) > 0 && op.IfMatch[0] != doc.ETag()
		if len(op.IfMatch) == 0 {
			op.IfMatch = []dovetail.ETag{doc.ETag()}
		}
		if op.Data, err = r.data(after, data, call.Path["name"]); err != nil {
			return nil, err
		}
		if op.FieldManagers, err = givenManagers(after, before); err != nil {
			return nil, err
		}
		answer, err := a.apply(ctx, call, r, op, http.StatusOK)
		if dovetail.CodeOf(err) != dovetail.CodeStale || own || attempt == patchAttempts {
			return answer, err
		}
	}
}

// versionOf is tag of an object that is there as the document. One with another uid is another one, which was deleted.
func versionOf(object *value.Value, doc *dovetail.Document) ([]dovetail.ETag, error) {
	if uid, _ := object.At(memberMetadata, "uid").Str(); uid != "" && uid != doc.UID {
		return nil, &dovetail.Error{Code: dovetail.CodeConflict, Key: doc.ID, Message: string(doc.ID) + " has the uid " + doc.UID + ", not " + uid, Remedy: "read it again: it was deleted and created since"}
	}
	return tag(object)
}

// patchOf reads the patch of a request.
func patchOf(call *httpapi.Request) (func(*value.Value) (*value.Value, error), error) {
	switch name := mediaType(call); name {
	case mediaMerge, mediaJSON:
		patch, err := value.ParseJSON(call.Text, call.Limits)
		return func(before *value.Value) (*value.Value, error) { return value.MergePatch(before, patch), nil }, err
	case mediaPatch:
		operations, err := value.ParseJSON(call.Text, call.Limits)
		if err != nil {
			return nil, err
		}
		patch, err := value.ParseJSONPatch(operations)
		if err != nil {
			return nil, err
		}
		return func(before *value.Value) (*value.Value, error) { return patch.Apply(before, call.Limits) }, nil
	case mediaStrategic:
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Message: "a strategic merge patch is for the types of Kubernetes itself", Remedy: "send " + mediaMerge + ": kubectl patch --type merge"}
	default:
		return nil, &dovetail.Error{Code: dovetail.CodeMediaType, Message: "the media type \"" + name + "\" is not that of a patch", Remedy: "send " + mediaMerge + ", " + mediaPatch + " or " + mediaApply}
	}
}

func (a *API) delete(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	r, id, err := a.item(call)
	if err != nil {
		return nil, err
	}
	o, err := options(call)
	if err != nil {
		return nil, err
	}
	op := store.Operation{Verb: store.Delete, ID: id}
	if err := a.deletion(ctx, call, &op, &o); err != nil {
		return nil, err
	}
	result, err := a.store.Apply(ctx, []store.Operation{op}, o)
	if err != nil {
		return nil, dovetail.WithoutIndex(err)
	}
	_, name := r.place(id)
	return reply(http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: name, Group: r.group, Kind: r.plural, UID: uidOf(result)}}), nil
}

// deletion reads what the query and the body say of a deletion, of a collection where the operation has no id.
func (a *API) deletion(ctx context.Context, call *httpapi.Request, op *store.Operation, o *store.Options) error {
	propagation := call.Query.Get(paramPropagation)
	uid, version := "", ""
	if len(call.Text) > 0 {
		body, err := object(call)
		if err != nil {
			return err
		}
		if text, _ := body.Get(paramPropagation).Str(); text != "" {
			propagation = text
		}
		uid, _ = body.At("preconditions", "uid").Str()
		version, _ = body.At("preconditions", paramVersion).Str()
		if list := body.Get(paramDryRun); list != nil && len(list.Items) > 0 {
			if text, _ := list.Items[0].Str(); text != dryRunAll || len(list.Items) > 1 {
				return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "dryRun is " + string(list.JSON()), Remedy: "write [\"All\"]"}
			}
			o.DryRun = true
		}
		if orphans := body.Get("orphanDependents"); orphans != nil && orphans.Text == "true" {
			propagation = string(metav1.DeletePropagationOrphan)
		}
	}
	switch metav1.DeletionPropagation(propagation) {
	case "", metav1.DeletePropagationBackground:
	case metav1.DeletePropagationForeground:
		op.Cascade = true
	default:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the propagation policy " + propagation + " would leave documents without what they refer to",
			Remedy: "delete those first, or use Foreground (--cascade=foreground), which deletes them, too"}
	}
	if uid == "" && version == "" {
		return nil
	}
	if op.ID == "" {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "preconditions are those of one object, not of a collection", Remedy: "delete that object, or leave them out"}
	}
	doc, err := a.store.Get(ctx, op.ID)
	if err != nil {
		return err
	}
	if uid != "" && uid != doc.UID || version != "" && version != doc.ETag().Version() {
		return &dovetail.Error{Code: dovetail.CodeStale, Key: op.ID, Message: string(op.ID) + " is not what the preconditions say: it is at " + doc.ETag().Version(), Remedy: "read it again"}
	}
	op.IfMatch = []dovetail.ETag{doc.ETag()}
	return nil
}

func uidOf(result *store.Result) (uid types.UID) {
	if doc := result.Outcomes[0].Document; doc != nil {
		return types.UID(doc.UID)
	}
	return ""
}
