package rendering

import "github.com/dovetail-store/dovetail/src/internal/data/decode"

// ArrayIndex is what a merge does at a path that ends with an index.
type ArrayIndex string

// The ways.
const (
	// AppendEntries puts the child's list behind the parent's.
	AppendEntries ArrayIndex = "append"
	// MergeElement merges the one element that the index names.
	MergeElement ArrayIndex = "element"
)

// policy is what a LayeringPolicy says.
type policy struct {
	layers map[string]int // the layers with their places in the order, from 0, the highest
	index  ArrayIndex
	strict bool
}

// control reads what a control document steers. Control documents of schemas that are not known
// are kept as they are.
func (r *reader) control(d *Document, data decode.Field) {
	if data.Value == nil {
		return
	}
	switch d.Schema {
	case PolicySchema:
		if f := data.As("the data of a LayeringPolicy"); f.Map("layerOrder", "arrayIndex", "strictParents") {
			d.policy = readPolicy(f)
		}
	case DataSchemaSchema:
		r.dataSchema(d, data)
	case ValidationPolicySchema:
		if data.As("the data of a ValidationPolicy").IsMap() {
			checkValidationPolicy(data)
		}
	}
}

func readPolicy(data decode.Field) *policy {
	p := &policy{layers: make(map[string]int), index: AppendEntries, strict: flag(data.Get("strictParents"))}
	if f := data.Get("arrayIndex"); f.Value != nil {
		text := f.Text()
		switch p.index = ArrayIndex(text); p.index {
		case AppendEntries, MergeElement, "":
		default:
			f.FailChoice([]string{string(AppendEntries), string(MergeElement)}, "write append or element", "there is no way %s of using an index", short(text))
		}
	}
	for i, item := range data.Get("layerOrder").List("a layer") {
		name := item.Text()
		if _, twice := p.layers[name]; twice && name != "" {
			item.Fail("remove one of the two", "duplicate layer %s", short(name))
			continue
		}
		p.layers[name] = i
	}
	return p
}

func checkValidationPolicy(data decode.Field) {
	for _, item := range data.Get("validations").List("a validation") {
		if item.Map("name", "expiresAfter") {
			item.Get("name").Text()
			item.Get("expiresAfter").OptionalText()
		}
	}
}
