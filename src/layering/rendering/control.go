package rendering

import (
	"strconv"

	"github.com/dovetail-store/dovetail/src/value"
)

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
func (r *reader) control(d *Document) {
	data := d.Data()
	at := []string{"data"}
	if data == nil {
		return
	}
	switch d.Schema {
	case PolicySchema:
		if r.isMap(data, at, "the data of a LayeringPolicy") {
			d.policy = r.policy(data, at)
		}
	case DataSchemaSchema:
		r.dataSchema(d, data, at)
	case ValidationPolicySchema:
		if r.isMap(data, at, "the data of a ValidationPolicy") {
			r.validationPolicy(data, at)
		}
	}
}

func (r *reader) policy(data *value.Value, at []string) *policy {
	p := &policy{layers: make(map[string]int), index: AppendEntries}
	r.known(data, at, "layerOrder", "arrayIndex", "strictParents")
	p.strict = r.flag(data, at, "strictParents")
	if v := data.Get("arrayIndex"); v != nil {
		text, _ := r.text(data, at, "arrayIndex")
		switch p.index = ArrayIndex(text); p.index {
		case AppendEntries, MergeElement:
		default:
			r.fail(v, below(at, "arrayIndex"), "write append or element", "there is no way %s of using an index", show(v))
		}
	}
	order := data.Get("layerOrder")
	if order == nil {
		r.fail(data, at, "add the list of layers, the highest first", "the member layerOrder is missing")
		return p
	}
	at = below(at, "layerOrder")
	for i, item := range r.items(order, at, "layerOrder") {
		at := below(at, strconv.Itoa(i))
		name, ok := item.Str()
		switch _, twice := p.layers[name]; {
		case !ok || name == "":
			r.fail(item, at, "give the name of the layer", "a layer must be a text, not %s", show(item))
		case twice:
			r.fail(item, at, "remove one of the two", "duplicate layer %s", short(name))
		default:
			p.layers[name] = i
		}
	}
	return p
}

func (r *reader) validationPolicy(data *value.Value, at []string) {
	list := data.Get("validations")
	if list == nil {
		r.fail(data, at, "add the list of validations", "the member validations is missing")
		return
	}
	at = below(at, "validations")
	for i, item := range r.items(list, at, "validations") {
		at := below(at, strconv.Itoa(i))
		if !r.isMap(item, at, "a validation") {
			continue
		}
		r.known(item, at, "name", "expiresAfter")
		r.text(item, at, "name")
		if item.Get("expiresAfter") != nil {
			r.text(item, at, "expiresAfter")
		}
	}
}
