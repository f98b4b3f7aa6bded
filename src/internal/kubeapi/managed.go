package kubeapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/fieldmanager"
	"github.com/dovetail-store/dovetail/src/internal/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// unknownManager is who writes where neither the query nor the client says so.
const unknownManager = "unknown"

// reasonManager is the reason of a conflict between field managers.
const reasonManager = "FIELD_MANAGER"

// fieldManager is who writes: fieldManager of the query, or the program of the client.
func fieldManager(call *httpapi.Call) (string, error) {
	name := call.Query.Get(paramManager)
	if name == "" {
		name, _, _ = strings.Cut(call.Header.Get("User-Agent"), "/")
		if name == "" || len(name) > fieldmanager.MaxManager || !isPrintable(name) {
			return unknownManager, nil
		}
		return name, nil
	}
	if len(name) > fieldmanager.MaxManager || !isPrintable(name) {
		return "", &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: dovetail.Position{Path: "/" + paramManager}, Message: "the field manager is not a name of at most " + fmt.Sprint(fieldmanager.MaxManager) + " printable characters",
			Remedy: "give a shorter one"}
	}
	return name, nil
}

func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// givenManagers are the field managers that an object has otherwise than before, which a client may write, too: nil where it leaves them
// as they are, and null where it empties them.
func givenManagers(object, before *value.Value) (*value.Value, error) {
	given := object.At(memberMetadata, memberManaged)
	if given == nil || value.Equal(given, before.At(memberMetadata, memberManaged)) {
		return nil, nil
	}
	if given.Kind == value.List && (len(given.Items) == 0 || len(given.Items) == 1 && given.Items[0].Kind == value.Map && len(given.Items[0].Members) == 0) {
		return value.NullValue(), nil
	}
	entries, err := fieldmanager.Parse(given)
	if err != nil {
		return nil, err
	}
	return entries.Value(), nil
}

// createdBy is who owns the fields of an object that is created: as it says, or all of them its creator.
func (a *API) createdBy(call *httpapi.Call, r *resource, object, data *value.Value) (*value.Value, error) {
	if given, err := givenManagers(object, nil); err != nil || given != nil && given.Kind != value.Null {
		return given, err
	}
	manager, err := fieldManager(call)
	if err != nil {
		return nil, err
	}
	return fieldmanager.Update(nil, data, nil, fieldmanager.Entry{Manager: manager, APIVersion: r.apiVersion(), Time: a.now()}).Value(), nil
}

// applyConfiguration is server-side apply: the document gets what the configuration of a field manager has, and loses what that manager
// applied before and does not have any more. It is created where it does not exist.
func (a *API) applyConfiguration(ctx context.Context, call *httpapi.Call, r *resource, id dovetail.ID) (*httpapi.Reply, error) {
	if call.Query.Get(paramManager) == "" {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "who applies is not said", Remedy: "give fieldManager"}
	}
	manager, err := fieldManager(call)
	if err != nil {
		return nil, err
	}
	force, err := forced(call)
	if err != nil {
		return nil, err
	}
	config, err := a.configuration(call, r)
	if err != nil {
		return nil, err
	}
	expected, err := tag(config)
	if err != nil {
		return nil, err
	}
	by := fieldmanager.Entry{Manager: manager, APIVersion: r.apiVersion(), Time: a.now()}
	for attempt := 1; ; attempt++ {
		op, status, err := a.applied(ctx, call, r, id, config, by, force)
		if err != nil {
			return nil, err
		}
		if len(expected) > 0 {
			op.IfMatch = expected
		}
		answer, err := a.apply(ctx, call, r, *op, status)
		code := dovetail.CodeOf(err)
		if code != dovetail.CodeStale && (code != dovetail.CodeExists || op.Verb != store.Create) || len(expected) > 0 || attempt == patchAttempts {
			return answer, err
		}
	}
}

// forced says whether fields of other managers are taken from them.
func forced(call *httpapi.Call) (bool, error) {
	switch text := call.Query.Get(paramForce); text {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	default:
		return false, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "force is \"" + text + "\"", Remedy: "write true or false"}
	}
}

// configuration reads the body of server-side apply.
func (a *API) configuration(call *httpapi.Call, r *resource) (*value.Value, error) {
	config, err := oneOf(call)
	if err != nil {
		return nil, err
	}
	if err := r.check(config, call.Path["namespace"], call.Path["name"]); err != nil {
		return nil, err
	}
	for _, name := range []string{memberAPIVersion, memberKind} {
		if config.Get(name) == nil {
			return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the configuration has no " + name, Remedy: "give apiVersion and kind"}
		}
	}
	if managed := config.At(memberMetadata, memberManaged); managed != nil && managed.Kind != value.Null {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: managed.Position(), Message: "metadata.managedFields must not be in what is applied", Remedy: "leave it out"}
	}
	return config, nil
}

// applied is the operation that applies a configuration to the document as it is now.
func (a *API) applied(ctx context.Context, call *httpapi.Call, r *resource, id dovetail.ID, config *value.Value, by fieldmanager.Entry, force bool) (*store.Operation, int, error) {
	op := &store.Operation{Verb: store.Put, ID: id}
	var entries fieldmanager.Entries
	doc, live, err := a.current(ctx, id)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeNotFound:
		op.Verb, live = store.Create, nil
	case err != nil:
		return nil, 0, err
	case store.IsWithheld(doc):
		return nil, 0, &dovetail.Error{Code: dovetail.CodeForbidden, Key: id, Message: "who manages the fields of " + string(id) + " may not be read, since its status was made of documents that may not be read",
			Remedy: "ask for the right to read them, or change it without server-side apply"}
	default:
		op.IfMatch = []dovetail.ETag{doc.ETag()}
		if entries, err = managersOf(doc); err != nil {
			return nil, 0, err
		}
	}
	data, err := r.data(config, live, call.Path["name"])
	if err != nil {
		return nil, 0, err
	}
	data, entries, conflicts := fieldmanager.Apply(live, data, entries, by, force)
	if len(conflicts) > 0 {
		return nil, 0, conflictOf(id, conflicts)
	}
	op.Data, op.FieldManagers = data, entries.Value()
	if live == nil {
		return op, http.StatusCreated, nil
	}
	return op, http.StatusOK, nil
}

// managersOf are the field managers of a document.
func managersOf(doc *dovetail.Document) (fieldmanager.Entries, error) {
	if !store.HasManagedFields(doc.Status) {
		return nil, nil
	}
	status, err := value.StatusOf(doc)
	if err != nil {
		return nil, err
	}
	return fieldmanager.Parse(status.Get(store.ManagedFieldsMember))
}

// conflictOf says which fields belong to whom.
func conflictOf(id dovetail.ID, conflicts []fieldmanager.Conflict) error {
	var errs dovetail.Errors
	for _, c := range conflicts {
		who := fmt.Sprintf("conflict with %q", c.Manager)
		if c.Operation == fieldmanager.Updated {
			who += " (Update)"
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: reasonManager, Key: id, Position: dovetail.Position{Path: value.Pointer(c.Path...)}, Message: who})
	}
	plural := "s"
	if len(conflicts) == 1 {
		plural = ""
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: reasonManager, Key: id, Message: fmt.Sprintf("Apply failed with %d conflict%s", len(conflicts), plural),
		Errors: errs.Kept()}
}
