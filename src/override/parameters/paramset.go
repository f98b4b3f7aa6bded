package parameters

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// The members of a ParamSet.
const (
	memberName         = "name"
	memberParameters   = "parameters"
	memberApplications = "applications"
	memberAppName      = "appName"
)

// CheckParamSet reports what is wrong with the members parameters and applications of a ParamSet, with the
// code CodeInvalid: parameters is a map, applications a list of maps with appName, each another one, and
// parameters. Either may be missing or null.
func CheckParamSet(v *value.Value, errs *dovetail.Errors) {
	d := decode.Decoder{Errors: errs, Complete: func(e *dovetail.Error) { e.Reason = ReasonStructure }}
	set := d.Root(v, "a ParamSet", "")
	if !set.IsMap() {
		return
	}
	checkParameters(set)
	seen := make(map[string]bool)
	for _, item := range set.Get(memberApplications).Items("an application") {
		name := item.Get(memberAppName)
		text := name.Text()
		if text != "" && seen[text] {
			name.Fail("write it once", "duplicate application %s", text)
		}
		seen[text] = true
		checkParameters(item)
	}
}

func checkParameters(of decode.Field) {
	if f := of.Get(memberParameters); !f.IsMissing() {
		f.IsMap()
	}
}

// CheckLevel reports what a ParamSet of a level must not hold, or lacks, with the code CodeUnprocessable:
// an environment and a namespace have parameters and no applications, an application stands in
// applications and has no parameters beside them. The ParamSet has passed CheckParamSet.
func CheckLevel(t Target, v *value.Value) []*dovetail.Error {
	var errs []*dovetail.Error
	fail := func(member, message, remedy string) {
		position := v.Get(member).Position()
		position.Path = value.Pointer(member)
		errs = append(errs, &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonLevel, Position: position,
			Message: message, Remedy: remedy})
	}
	level := t.Level()
	parameters, applications := v.Get(memberParameters), v.Get(memberApplications)
	if level == LevelApplication {
		if t.Context == Pipeline {
			fail(memberApplications, "an application has no pipeline parameters", "set them for the environment or the namespace")
			return errs
		}
		if !isNothing(parameters) && len(parameters.Members) > 0 {
			fail(memberParameters, "on the level of applications there are no parameters beside them", "move them to the application")
		}
		if isNothing(applications) || len(applications.Items) == 0 {
			fail(memberApplications, "on the level of applications the application is missing", "add appName and parameters")
		}
		return errs
	}
	if isNothing(parameters) {
		fail(memberParameters, fmt.Sprintf("on the level of %ss the parameters are missing", level), "give a map, which may be empty")
	}
	if !isNothing(applications) && len(applications.Items) > 0 {
		fail(memberApplications, fmt.Sprintf("on the level of %ss there are no applications", level), "use parameters, or the level of applications")
	}
	return errs
}

// Of returns the parameters that a ParamSet gives a level: its own, or those of the application. It
// returns nil when there are none.
func Of(v *value.Value, application string) *value.Value {
	if application == "" {
		return mapOrNil(v.Get(memberParameters))
	}
	if i := applicationIndex(v, application); i >= 0 {
		return mapOrNil(v.Get(memberApplications).Items[i].Get(memberParameters))
	}
	return nil
}

// With returns a copy of a ParamSet, or of none, in which an override's target has these parameters. All
// else in it stays.
func With(v *value.Value, t Target, parameters *value.Value) *value.Value {
	var set *value.Value
	if v == nil || v.Kind != value.Map {
		set = value.NewMap(value.Member{Name: memberName, Value: value.NewString(t.Name())})
	} else {
		set = v.Unplaced()
	}
	parameters = parameters.Unplaced()
	if t.Application == "" {
		set.Set(memberParameters, parameters)
		if set.Get(memberApplications) == nil {
			set.Set(memberApplications, value.NewList())
		}
		return set
	}
	if set.Get(memberParameters) == nil {
		set.Set(memberParameters, value.NewMap())
	}
	if i := applicationIndex(set, t.Application); i >= 0 {
		set.Get(memberApplications).Items[i].Set(memberParameters, parameters)
		return set
	}
	entry := value.NewMap(value.Member{Name: memberAppName, Value: value.NewString(t.Application)}, value.Member{Name: memberParameters, Value: parameters})
	if list := set.Get(memberApplications); !isNothing(list) && list.Kind == value.List {
		list.Items = append(list.Items, entry)
	} else {
		set.Set(memberApplications, value.NewList(entry))
	}
	return set
}

// applicationIndex is where an application stands in a ParamSet, or -1.
func applicationIndex(v *value.Value, name string) int {
	applications := v.Get(memberApplications)
	if applications == nil {
		return -1
	}
	for i, item := range applications.Items {
		if said, _ := item.Get(memberAppName).Str(); said == name {
			return i
		}
	}
	return -1
}

func isNothing(v *value.Value) bool { return v == nil || v.Kind == value.Null }

func mapOrNil(v *value.Value) *value.Value {
	if v == nil || v.Kind != value.Map {
		return nil
	}
	return v
}
