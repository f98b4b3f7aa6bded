package descriptor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// parameters reads those of a pipeline from an object. Each may be a text, as a pipeline has it; SDs
// may also stand there as they are, artifacts as a list, and true and false without quotes. Others
// than those that begin with SD_ are ignored, so that a pipeline can send all it has.
func parameters(body *value.Value) (map[string]string, error) {
	if body.Kind != value.Map {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: sd.ReasonParamInvalid, Position: body.Position(),
			Message: "the parameters must be an object, not a " + body.Kind.String(), Remedy: "send {\"SD_DATA\": ...}"}
	}
	params := make(map[string]string)
	var errs dovetail.Errors
	for _, m := range body.Members {
		if !strings.HasPrefix(m.Name, "SD_") {
			continue
		}
		text, ok := parameterText(m.Name, m.Value)
		if !ok {
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Reason: sd.ReasonParamInvalid,
				Position: dovetail.Position{File: m.Name, Line: int(m.Value.Line), Column: int(m.Value.Column), Path: value.Pointer(m.Name)},
				Message:  "it cannot be a " + m.Value.Kind.String(), Remedy: "give a text"})
		}
		params[m.Name] = text
	}
	return params, errs.Err("the parameters are refused")
}

func parameterText(name string, v *value.Value) (string, bool) {
	switch v.Kind {
	case value.Null:
		return "", true
	case value.String, value.Bool, value.Number:
		return v.Text, true
	}
	switch name {
	case sd.ParamData, sd.ParamDataMultiple:
		return string(v.JSON()), true
	case sd.ParamVersion, sd.ParamVersionMultiple:
		return lines(v)
	}
	return "", false
}

// lines joins a list of texts.
func lines(v *value.Value) (string, bool) {
	var all []string
	for _, item := range v.Items {
		text, ok := item.Str()
		if !ok {
			return "", false
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), v.Kind == value.List
}

// The members of a request to merge.
const (
	memberMode   = "mode"
	memberFull   = "full"
	memberDeltas = "deltas"
)

// mergeRequest reads a request to merge: mode, full, deltas. All that is wrong with it is reported
// together.
func mergeRequest(body *value.Value) (sd.Mode, []*sd.Descriptor, error) {
	if body.Kind != value.Map {
		return "", nil, &dovetail.Error{Code: dovetail.CodeInvalid, Reason: sd.ReasonParamInvalid, Position: body.Position(),
			Message: "the request must be an object, not a " + body.Kind.String(), Remedy: "send mode, full and deltas"}
	}
	var errs dovetail.Errors
	fail := func(at *value.Value, path, message, remedy string) {
		position := at.Position()
		position.Path = path
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Reason: sd.ReasonParamInvalid, Position: position, Message: message, Remedy: remedy})
	}
	for _, m := range body.Members {
		if !slices.Contains([]string{memberMode, memberFull, memberDeltas}, m.Name) {
			fail(m.Value, value.Pointer(m.Name), "there is no "+m.Name+" in a request to merge", "send mode, full and deltas")
		}
	}
	mode := sd.BasicMerge
	if v := body.Get(memberMode); v != nil {
		var err error
		if mode, err = sd.ParseMode(v.Text); err != nil {
			e := dovetail.AsError(err)
			fail(v, value.Pointer(memberMode), e.Message, e.Remedy)
		}
	}
	items := []*value.Value{body.Get(memberFull)}
	paths := []string{value.Pointer(memberFull)}
	deltas := body.Get(memberDeltas)
	if deltas == nil || deltas.Kind != value.List {
		fail(deltas, value.Pointer(memberDeltas), "deltas must be a list of solution descriptors", "send one or more")
	} else {
		for i, item := range deltas.Items {
			items, paths = append(items, item), append(paths, value.Pointer(memberDeltas, strconv.Itoa(i)))
		}
	}
	sds := make([]*sd.Descriptor, len(items))
	for i, item := range items {
		descr, err := sd.New(dovetail.Position{Path: paths[i]}, item)
		if err != nil {
			errs.Join(err)
		}
		sds[i] = descr
	}
	return mode, sds, errs.Err("the request is refused")
}
