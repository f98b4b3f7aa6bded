package schema

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Validate checks data against the slots of the kind's rules, the shape that the paths of its rules imply, and its JSON Schema, and returns what is wrong, in the order of
// paths. Each error has the code CodeUnprocessable, and in its position the path of the value; those of the JSON Schema have
// a Keyword as their cause. The line and column are there where they are known; data is not changed.
func (k *Kind) Validate(data *value.Value) dovetail.Errors {
	errs := k.validate(data)
	for _, s := range k.shapes {
		var misshapen dovetail.Errors
		if s.check(data, k.Strict, &misshapen); misshapen.Total() > 0 {
			errs = withoutSame(errs, misshapen)
			errs.Sort(byPath)
		}
	}
	if k.plan != nil && k.plan.checked {
		if slots := k.slots(data); slots.Total() > 0 {
			errs.Merge(&slots)
			errs.Sort(byPath)
		}
	}
	if k.Strict {
		if unknown := k.unknown(data); unknown.Total() > 0 {
			errs = withUnknown(errs, unknown)
			errs.Sort(byPath)
		}
	}
	return errs
}

// withoutSame adds errors of places of which the others say nothing.
func withoutSame(errs, more dovetail.Errors) dovetail.Errors {
	for _, e := range more.Kept() {
		if !slices.ContainsFunc(errs.Kept(), func(have *dovetail.Error) bool { return have.Position.Path == e.Position.Path }) {
			errs.Add(e)
		}
	}
	errs.Count(more.Omitted())
	return errs
}

func byPath(a, b *dovetail.Error) int { return strings.Compare(a.Position.Path, b.Position.Path) }

// withUnknown adds unknown members. Those that the JSON Schema refuses itself, too, get what may be meant.
func withUnknown(errs, unknown dovetail.Errors) dovetail.Errors {
	for _, e := range unknown.Kept() {
		i := slices.IndexFunc(errs.Kept(), func(have *dovetail.Error) bool {
			return have.Position.Path == e.Position.Path && have.Message == e.Message
		})
		if i < 0 {
			errs.Add(e)
			continue
		}
		errs.Kept()[i].Remedy = e.Remedy
	}
	errs.Count(unknown.Omitted())
	return errs
}

// validate checks data against the JSON Schema.
func (k *Kind) validate(data *value.Value) (errs dovetail.Errors) {
	if k.schema == nil {
		return errs
	}
	if reason := k.schema.work.tooMuchFor(data); reason != "" {
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "the data " + reason,
			Remedy: "simplify the schema of " + k.Name + ": fewer alternatives (allOf, anyOf, oneOf) for the same values"})
		return errs
	}
	err := k.schema.compiled.Validate(k.schema.looks.toAny(data))
	if err == nil {
		return errs
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Message: "the data cannot be checked against the schema of " + k.Name, Err: err})
		return errs
	}
	remedy := "`dovetail explain " + k.Name + "` shows what is allowed"
	found := violations(invalid, data)
	for _, v := range found {
		if errs.Full() {
			errs.Count(1)
			continue
		}
		pointer := value.Pointer(v.path...)
		at := dovetail.Position{}
		if place, ok := data.Find(pointer); ok {
			at = place.Position()
		}
		at.Path = pointer
		errs.Add(&dovetail.Error{Code: dovetail.CodeUnprocessable, Message: v.message, Remedy: remedy, Position: at, Err: v.keyword})
	}
	return errs
}

// Keyword is the keyword of JSON Schema that data break: "type", "additionalProperties". It is the cause of each error of
// Validate, "false" where a schema allows nothing; find it with errors.As.
type Keyword string

// Error gives the keyword's name.
func (k Keyword) Error() string { return string(k) }

// violation is one thing that is wrong with a value, in words that follow the value's path.
type violation struct {
	path    []string
	message string
	keyword Keyword
}

// violations flattens the tree of a validation error to what users must repair in the data.
func violations(err *jsonschema.ValidationError, data *value.Value) []violation {
	var all []violation
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if found := explain(e, data); found != nil {
			for i := range found {
				found[i].keyword = keywordOf(e)
			}
			all = append(all, found...)
			return
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(err)
	slices.SortStableFunc(all, func(a, b violation) int {
		if order := slices.Compare(a.path, b.path); order != 0 {
			return order
		}
		return slices.Compare([]string{a.message}, []string{b.message})
	})
	return slices.CompactFunc(all, func(a, b violation) bool {
		return a.message == b.message && slices.Equal(a.path, b.path)
	})
}

func keywordOf(e *jsonschema.ValidationError) Keyword {
	switch e.ErrorKind.(type) {
	case *kind.FalseSchema:
		return "false"
	case *kind.Not:
		return "not"
	}
	if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
		return Keyword(path[0])
	}
	return ""
}

// ownerOf returns the path of the one object at a depth that has the member; of several what their
// paths have in common.
func ownerOf(data *value.Value, depth int, member string) []string {
	var common []string
	found := false
	var walk func(v *value.Value, path []string)
	walk = func(v *value.Value, path []string) {
		switch {
		case v == nil:
		case len(path) < depth:
			for i, item := range v.Items {
				walk(item, append(slices.Clip(path), strconv.Itoa(i)))
			}
			for _, m := range v.Members {
				walk(m.Value, append(slices.Clip(path), m.Name))
			}
		case v.Get(member) == nil:
		case !found:
			common, found = path, true
		default:
			for i := range common {
				if common[i] != path[i] {
					common = common[:i]
					break
				}
			}
		}
	}
	walk(data, nil)
	return common
}
