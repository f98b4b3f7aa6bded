package activator

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// held are the objects that the selected versions hold, in the order of the selections. The error has the reason ReasonManifests, and says all that
// is wrong with them.
func held(selections []Selected) ([]*value.Value, error) {
	var objects []*value.Value
	var wrong []string
	owner := make(map[string]string)
	for _, s := range selections {
		if s.Manifests == "" {
			wrong = append(wrong, s.Package+" "+s.Version+" holds none")
			continue
		}
		list, err := value.ParseJSON([]byte(s.Manifests), value.Limits{})
		if err != nil || list.Kind != value.List || len(list.Items) == 0 {
			wrong = append(wrong, "those of "+s.Package+" "+s.Version+" are no list of objects")
			continue
		}
		for i, object := range list.Items {
			name, ok := nameOf(object)
			switch {
			case !ok:
				wrong = append(wrong, fmt.Sprintf("object %d of %s %s lacks apiVersion, kind or metadata.name", i+1, s.Package, s.Version))
			case owner[name] != "":
				wrong = append(wrong, fmt.Sprintf("%s and %s both hold %s", owner[name], s.Package, name))
			default:
				owner[name] = s.Package
				objects = append(objects, object)
			}
		}
	}
	if len(wrong) > 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonManifests, Message: "the manifests cannot be applied: " + strings.Join(wrong, "; "),
			Remedy: "correct the property manifests of the versions: a list of objects with apiVersion, kind and metadata.name"}
	}
	return objects, nil
}

// nameOf tells apart objects of Kubernetes: by the group, not the version, of their API.
func nameOf(object *value.Value) (name string, ok bool) {
	texts := make([]string, 0, 4)
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}} {
		text, is := object.At(path...).Str()
		if !is || text == "" {
			return "", false
		}
		texts = append(texts, text)
	}
	group, _, grouped := strings.Cut(texts[0], "/")
	if !grouped {
		group = "" // of the core
	}
	namespace, _ := object.At("metadata", "namespace").Str()
	if namespace != "" {
		namespace += "/"
	}
	if group != "" {
		group = "." + group
	}
	return texts[1] + group + " " + namespace + texts[2], true
}
