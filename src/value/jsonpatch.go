package value

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// The limits of a JSON patch.
const (
	MaxPatchOperations = 10_000
	MaxPatchCopied     = 3 << 20 // bytes that its operations may copy together, since each could double what there is
)

// JSONPatch is a JSON patch (RFC 6902).
type JSONPatch struct{ operations []patchOperation }

type patchOperation struct {
	verb, path, from string
	value            *Value
	place            Place
}

// ParseJSONPatch reads a JSON patch from its list of operations.
//
// Errors:
//   - TooLarge: there are more than MaxPatchOperations
//   - Invalid: the value is not a list of operations of RFC 6902
func ParseJSONPatch(list *Value) (*JSONPatch, error) {
	refuse := func(at *Value, message string) error {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Position: at.Position(), Message: "the body is no JSON patch (RFC 6902): " + message,
			Remedy: "send a list of operations, each with op, path, and value or from"}
	}
	if list == nil || list.Kind != List {
		return nil, refuse(list, "it is not a list")
	}
	if n := len(list.Items); n > MaxPatchOperations {
		message := fmt.Sprintf("the patch has %d operations; it may have %d", n, MaxPatchOperations)
		return nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Message: message, Remedy: "replace the object"}
	}
	patch := &JSONPatch{operations: make([]patchOperation, len(list.Items))}
	for i, item := range list.Items {
		op := patchOperation{value: item.Get("value"), place: item.Place}
		var isText, isPath bool
		op.verb, _ = item.Get("op").Str()
		op.path, isText = item.Get("path").Str()
		isPath = isText && isPointer(op.path)
		switch op.verb {
		case "add", "replace":
			if op.value == nil {
				return nil, refuse(item, fmt.Sprintf("operation %d (%s) has no value", i, op.verb))
			}
		case "move", "copy":
			if op.from, isText = item.Get("from").Str(); !isText || !isPointer(op.from) {
				return nil, refuse(item, fmt.Sprintf("from of operation %d (%s) is no JSON Pointer", i, op.verb))
			}
		case "test":
			if op.value == nil {
				op.value = NullValue()
			}
		case "remove":
		default:
			return nil, refuse(item, fmt.Sprintf("op of operation %d is none of add, remove, replace, move, copy and test", i))
		}
		if !isPath {
			return nil, refuse(item, fmt.Sprintf("path of operation %d (%s) is no JSON Pointer", i, op.verb))
		}
		patch.operations[i] = op
	}
	return patch, nil
}

// Apply returns the target with the operations applied, in time and memory that grow with the target and the patch, but not with their
// product. The result shares nothing with target and patch, which are not changed; what comes from the patch keeps its positions. Negative
// indices count from the end of a list, and a test for null passes where a map has no such member, as in the API server of Kubernetes.
// The limits are those of the result, and their Charge is called while the operations are applied.
//
// Errors:
//   - Unprocessable: an operation does not apply, or the operations copy too much
//   - TooLarge: the result is not within the limits
//   - the error of Charge
func (j *JSONPatch) Apply(target *Value, limits Limits) (*Value, error) {
	p := &patching{root: slot{value: target.Unplaced()}, limits: limits.WithDefaults(), copies: MaxPatchCopied}
	for i, op := range j.operations {
		if reason := p.do(op); reason != "" && p.err == nil {
			p.err = &dovetail.Error{Code: dovetail.CodeUnprocessable, Position: op.place.Position(), Remedy: "read the object again",
				Message: fmt.Sprintf("the patch does not apply: operation %d (%s): %s", i, op.verb, reason)}
		}
		if p.err != nil {
			return nil, p.err
		}
	}
	result := p.bounded(p.root.frozen(), 0)
	p.charge(p.values%chargeStep - p.opened)
	return result, p.err
}

// patching is the application of a patch.
type patching struct {
	root   slot
	limits Limits
	copies int // bytes that may still be copied
	steps  int // since Charge was called
	opened int // values that were opened
	values int // of the result
	err    error
}

// charge counts values, and notes the error of that.
func (p *patching) charge(values int) {
	if p.steps = 0; p.limits.Charge == nil || p.err != nil {
		return
	}
	p.err = p.limits.Charge(values)
}

// step counts work, so that Charge can end it.
func (p *patching) step(n int) {
	if p.steps += n; p.steps >= chargeStep {
		p.charge(0)
	}
}

// do applies an operation. It returns why that is not possible, or "".
func (p *patching) do(op patchOperation) string {
	p.step(1)
	switch op.verb {
	case "add":
		return p.add(op.path, slot{value: op.value})
	case "remove":
		_, reason := p.take(op.path)
		return reason
	case "replace":
		at, reason := p.find(op.path)
		if reason == "" {
			*at = slot{value: op.value}
		}
		return reason
	case "move":
		if op.from == op.path {
			_, reason := p.find(op.from)
			return reason
		}
		if strings.HasPrefix(op.path, op.from+"/") {
			return "a value cannot be moved into itself"
		}
		moved, reason := p.take(op.from)
		if reason != "" {
			return reason
		}
		return p.add(op.path, moved)
	case "copy":
		from, reason := p.find(op.from)
		if reason != "" {
			return reason
		}
		copied := from.frozen()
		if !p.mayCopy(copied, 0) {
			const message = "the accumulated size increase of its copies is more than %d bytes, or than %d levels"
			return fmt.Sprintf(message, MaxPatchCopied, p.limits.Depth)
		}
		return p.add(op.path, slot{value: copied})
	default:
		return p.test(op.path, op.value)
	}
}

// test compares the value of a path.
func (p *patching) test(path string, want *Value) string {
	at := &p.root
	if path != "" {
		parent, name, reason := p.parent(path)
		if reason != "" {
			return reason
		}
		if at = p.child(parent, name); at == nil && (parent.kind != Map || want.Kind != Null) {
			return missing(path)
		}
	}
	if at != nil && !p.same(*at, want) {
		return path + " is another value"
	}
	return ""
}

func missing(path string) string { return path + " does not exist" }

// parent finds the list or map of the last part of a path that is not "".
func (p *patching) parent(path string) (*opened, string, string) {
	at := &p.root
	for rest := path[1:]; ; {
		part, below, more := strings.Cut(rest, "/")
		o, name := p.open(at), unescapePointer.Replace(part)
		if o == nil {
			return nil, "", missing(path)
		}
		if !more {
			return o, name, ""
		}
		if at = p.child(o, name); at == nil {
			return nil, "", missing(path)
		}
		rest = below
	}
}

// find finds the value of a path.
func (p *patching) find(path string) (*slot, string) {
	if path == "" {
		return &p.root, ""
	}
	parent, name, reason := p.parent(path)
	if reason != "" {
		return nil, reason
	}
	at := p.child(parent, name)
	if at == nil {
		return nil, missing(path)
	}
	return at, ""
}

// add puts a value at a path: in a map in place of what is there, in a list before it.
func (p *patching) add(path string, s slot) string {
	if path == "" {
		p.root = s
		return ""
	}
	parent, name, reason := p.parent(path)
	if reason != "" {
		return reason
	}
	if parent.kind == Map {
		parent.set(name, s)
		return ""
	}
	i, ok := parent.count, true
	if name != "-" {
		i, ok = position(name, parent.count+1)
	}
	if !ok {
		return missing(path)
	}
	p.step(parent.insert(i, s))
	return ""
}

// take removes the value of a path, and returns it.
func (p *patching) take(path string) (slot, string) {
	if path == "" {
		return slot{}, "the whole object cannot be removed"
	}
	parent, name, reason := p.parent(path)
	if reason != "" {
		return slot{}, reason
	}
	at := p.child(parent, name)
	if at == nil {
		return slot{}, missing(path)
	}
	taken := *at
	if parent.kind == Map {
		parent.unset(name)
	} else {
		i, _ := position(name, parent.count)
		p.step(parent.delete(i))
	}
	return taken, ""
}
