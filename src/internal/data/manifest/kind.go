package manifest

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
)

// Kinds finds the kinds of a model by what manifests call them. It is immutable.
type Kinds struct {
	model *schema.Model
}

// NewKinds returns the kinds of a model.
func NewKinds(model *schema.Model) *Kinds { return &Kinds{model} }

// Find returns the kind that a spelling means, as schema.Model.Find does: by its name, an element of
// its key, or its collection, plural or singular. It must have documents. The error has the code
// CodeInvalid.
func (k *Kinds) Find(spelling string) (*schema.Kind, error) {
	kind, err := k.model.Find(spelling)
	if err == nil && kind.Abstract {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the kind " + kind.Name + " has no documents of its own",
			Remedy: "name one of its children"}
	}
	return kind, err
}
