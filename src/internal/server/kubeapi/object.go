package kubeapi

import (
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	memberAPIVersion = "apiVersion"
	memberKind       = "kind"
	memberMetadata   = "metadata"
	memberName       = "name"
	memberNamespace  = "namespace"
	memberStatus     = "status"
	memberManaged    = "managedFields"
)

// ofObject are the members of objects, and of their metadata, that are not the data's.
var (
	ofObject   = []string{memberAPIVersion, memberKind}
	ofMetadata = []string{memberNamespace, "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", memberManaged}
	refused    = []string{"generateName", "ownerReferences", "finalizers"}
)

// own is put before the names of members that the data has and that mean something else in an object.
const own = "data."

// object returns a document as an object of the API.
func (r *resource) object(doc *dovetail.Document) (*value.Value, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	var made value.Builder
	made.Set(memberAPIVersion, value.NewString(r.apiVersion()))
	made.Set(memberKind, value.NewString(r.kind))
	made.Set(memberMetadata, r.metadata(doc, data.Get(memberMetadata)))
	for _, m := range data.Members {
		switch {
		case m.Name == memberMetadata && m.Value.Kind == value.Map:
		case slices.Contains(ofObject, m.Name), m.Name == memberMetadata:
			made.Set(own+m.Name, m.Value)
		default:
			made.Set(m.Name, m.Value)
		}
	}
	object := made.Map()
	if len(doc.Status) > 0 {
		status, err := value.StatusOf(doc)
		if err != nil {
			return nil, err
		}
		if managers := status.Get(store.ManagedFieldsMember); managers != nil {
			object.Get(memberMetadata).Set(memberManaged, managers)
			if status.Delete(store.ManagedFieldsMember); len(status.Members) == 0 {
				return object, nil
			}
		}
		object.Set(memberStatus, status)
	}
	return object, nil
}

// metadata are those of the document, and what the data has beside.
func (r *resource) metadata(doc *dovetail.Document, data *value.Value) *value.Value {
	namespace, name := r.place(doc.ID)
	var meta value.Builder
	meta.Set(memberName, value.NewString(name))
	if r.namespaced() {
		meta.Set(memberNamespace, value.NewString(namespace))
	}
	if doc.UID != "" {
		meta.Set("uid", value.NewString(doc.UID))
		meta.Set("resourceVersion", value.NewString(doc.ETag().Version()))
	}
	if !doc.Created.IsZero() {
		meta.Set("creationTimestamp", value.NewString(doc.Created.UTC().Format(time.RFC3339)))
	}
	if data == nil || data.Kind != value.Map {
		return meta.Map()
	}
	for _, m := range data.Members {
		switch {
		case m.Name == memberName:
		case slices.Contains(ofMetadata, m.Name), slices.Contains(refused, m.Name):
			meta.Set(own+m.Name, m.Value)
		default:
			meta.Set(m.Name, m.Value)
		}
	}
	return meta.Map()
}

// data returns the data that an object gives. Of a document that is there already current is the data, nil of others: a name is written
// there only where it was.
func (r *resource) data(object, current *value.Value, name string) (*value.Value, error) {
	var data value.Builder
	for _, m := range object.Members {
		if slices.Contains(ofObject, m.Name) || m.Name == memberStatus {
			continue
		}
		if m.Name != memberMetadata {
			data.Set(withoutOwn(m.Name, append(ofObject, memberMetadata)), m.Value)
			continue
		}
		meta, err := r.dataMetadata(m.Value, current, name)
		if err != nil {
			return nil, err
		}
		if len(meta.Members) > 0 || current == nil || current.Get(memberMetadata) != nil {
			data.Set(memberMetadata, meta)
		}
	}
	return data.Map(), nil
}

func (r *resource) dataMetadata(given, current *value.Value, name string) (*value.Value, error) {
	var meta value.Builder
	if current == nil || current.At(memberMetadata, memberName) != nil {
		values, err := splitSegment(name)
		if err != nil {
			return nil, err
		}
		meta.Set(memberName, value.NewString(values[0]))
	}
	var errs dovetail.Errors
	for _, m := range given.Members {
		switch {
		case m.Name == memberName, slices.Contains(ofMetadata, m.Name):
		case slices.Contains(refused, m.Name):
			if len(m.Value.Items) == 0 && m.Value.Text == "" {
				continue
			}
			at := m.Value.Position()
			at.Path = value.Pointer(memberMetadata, m.Name)
			errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Position: at, Message: "metadata." + m.Name + " is not supported",
				Remedy: "leave it out: a parent is given by the namespace, and what is referred to by the data"})
		default:
			meta.Set(withoutOwn(m.Name, append(ofMetadata, refused...)), m.Value)
		}
	}
	return meta.Map(), errs.Err("the metadata are refused")
}

// withoutOwn is the name that the data has for a member.
func withoutOwn(name string, reserved []string) string {
	if plain, found := strings.CutPrefix(name, own); found && slices.Contains(reserved, plain) {
		return plain
	}
	return name
}

// check compares what an object says of itself with where it is sent to. Missing members say nothing.
func (r *resource) check(object *value.Value, namespace, name string) error {
	var errs dovetail.Errors
	is := func(want string, path ...string) {
		v := object.At(path...)
		if v == nil {
			return
		}
		if text, isText := v.Str(); !isText || text != want && text != "" {
			at := v.Position()
			at.Path = value.Pointer(path...)
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: strings.Join(path, ".") + " is " + string(v.JSON()) + ", but the request is for " + want,
				Remedy: "give both the same"})
		}
	}
	if object.Kind != value.Map {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the body is a " + object.Kind.String() + ", not an object"}
	}
	is(r.apiVersion(), memberAPIVersion)
	is(r.kind, memberKind)
	is(name, memberMetadata, memberName)
	if r.namespaced() {
		is(namespace, memberMetadata, memberNamespace)
	}
	if m := object.Get(memberMetadata); m != nil && m.Kind != value.Map {
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: "metadata is a " + m.Kind.String() + ", not an object"})
	}
	return errs.Err("the object is not the one of the request")
}

// tag is the version that an object has, nil if there is none.
func tag(object *value.Value) ([]dovetail.ETag, error) {
	text, _ := object.At(memberMetadata, "resourceVersion").Str()
	if text == "" {
		return nil, nil
	}
	etag, err := dovetail.ParseETag(text)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the resourceVersion \"" + text + "\" is not that of an object", Remedy: "give it as a read answered it"}
	}
	return []dovetail.ETag{etag}, nil
}
