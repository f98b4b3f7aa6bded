package kubeapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/fieldmanager"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// unknownManager is who writes where neither the query nor the client says so.
const unknownManager = "unknown"

// fieldManager is who writes: fieldManager of the query, or the program of the client.
func fieldManager(call *httpapi.Request) (string, error) {
	name := call.Query.Get(paramManager)
	if name == "" {
		program, _, _ := strings.Cut(call.Header.Get("User-Agent"), "/")
		if _, err := fieldmanager.By(program); err == nil {
			return program, nil
		}
		return unknownManager, nil
	}
	_, err := fieldmanager.By(name)
	if err != nil {
		wrong := dovetail.AsError(err)
		wrong.Position.Path = "/" + paramManager
	}
	return name, err
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
func (a *API) createdBy(call *httpapi.Request, r *resource, object, data *value.Value) (*value.Value, error) {
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
func (a *API) applyConfiguration(ctx context.Context, call *httpapi.Request, r *resource, id dovetail.ID) (*httpapi.Response, error) {
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
	data, err := r.data(config, nil, call.Path["name"])
	if err != nil {
		return nil, err
	}
	op := store.Operation{Verb: store.ApplyFields, ID: id, Data: fieldmanager.WithoutNulls(data), FieldManager: manager, APIVersion: r.apiVersion(), IfMatch: expected}
	if force {
		op.Force = store.ForceAll
	}
	answer, err := a.apply(ctx, call, r, op, http.StatusOK)
	return answer, conflictOf(id, err)
}

// forced reports whether fields of other managers are taken from them.
func forced(call *httpapi.Request) (bool, error) {
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
func (a *API) configuration(call *httpapi.Request, r *resource) (*value.Value, error) {
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

// conflictOf says which fields belong to whom, where that is why applying was refused.
func conflictOf(id dovetail.ID, refusal error) error {
	if refusal == nil {
		return nil
	}
	whole := dovetail.AsError(refusal)
	parts := whole.Errors
	if len(parts) == 0 {
		parts = []*dovetail.Error{whole}
	}
	var errs dovetail.Errors
	for _, part := range parts {
		var c fieldmanager.Conflict
		if !errors.As(part.Err, &c) {
			return refusal
		}
		errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonFieldManager, Key: id, Position: part.Position, Message: c.Error()})
	}
	n, plural := len(parts)+whole.Omitted(), "s"
	if n == 1 {
		plural = ""
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonFieldManager, Key: id, Message: fmt.Sprintf("Apply failed with %d conflict%s", n, plural),
		Errors: errs.Kept()}
}
