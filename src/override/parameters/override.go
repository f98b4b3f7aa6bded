package parameters

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
)

const overrideSuffix = "ui-override"

// Target is what the parameters of an override are for: an environment, a namespace of it, or an
// application of that.
type Target struct {
	Environment   inventory.Environment
	Context       Context
	DeployPostfix string // "" on the level of the environment
	Application   string // "" above the level of applications
}

// Level returns how far down the target is.
func (t Target) Level() Level {
	switch {
	case t.Application != "":
		return LevelApplication
	case t.DeployPostfix != "":
		return LevelNamespace
	}
	return LevelEnvironment
}

// Object is what the override's ParamSet is associated with.
func (t Target) Object() string {
	if t.DeployPostfix == "" {
		return Cloud
	}
	return t.DeployPostfix
}

// Name is that of the override's ParamSet: <ctx>-ui-override, <deployPostfix>-<ctx>-ui-override or
// <deployPostfix>-<application>-<ctx>-ui-override.
func (t Target) Name() string {
	name := t.Context.Token() + "-" + overrideSuffix
	if t.Application != "" {
		name = t.Application + "-" + name
	}
	if t.DeployPostfix != "" {
		name = t.DeployPostfix + "-" + name
	}
	return name
}

// Location is where the override's ParamSet is.
func (t Target) Location() Location { return Location(t.Environment) }

// Above are the targets whose overrides apply here too, from the top, and at last the target itself.
func (t Target) Above() []Target {
	above := []Target{{Environment: t.Environment, Context: t.Context}}
	if t.DeployPostfix != "" {
		above = append(above, Target{Environment: t.Environment, Context: t.Context, DeployPostfix: t.DeployPostfix})
	}
	if t.Application != "" {
		above = append(above, t)
	}
	return above
}

// Check refuses a target that there cannot be, with the code CodeInvalid: an application without
// namespace, pipeline parameters of an application, or an application whose name no file can have.
func (t Target) Check() error {
	switch {
	case t.Application != "" && t.DeployPostfix == "":
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "an application is named, but no namespace", Remedy: "name its namespace, too"}
	case t.Application != "" && t.Context == Pipeline:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ReasonPipelineOfApplication,
			Message: "an application has no pipeline parameters", Remedy: "set them for the environment or the namespace"}
	case t.Application != "" && !IsName(t.Application):
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "\"" + t.Application + "\" cannot be the name of an application, since it cannot be that of a file",
			Remedy: "leave out slashes and backslashes"}
	}
	return nil
}

// IsOverride reports whether a name is that of an override's ParamSet.
func IsOverride(name string) bool {
	return name == overrideSuffix || strings.HasSuffix(name, "-"+overrideSuffix)
}

// OverrideTarget returns the target of the override of a name that is associated with an object in a
// context; false when the name is not that of an override there.
func OverrideTarget(e inventory.Environment, c Context, object, name string) (Target, bool) {
	t := Target{Environment: e, Context: c}
	if object != Cloud {
		t.DeployPostfix = object
	}
	if name == t.Name() {
		return t, true
	}
	application, prefixed := strings.CutPrefix(name, t.DeployPostfix+"-")
	application, suffixed := strings.CutSuffix(application, "-"+c.Token()+"-"+overrideSuffix)
	if t.DeployPostfix == "" || !prefixed || !suffixed || application == "" {
		return Target{}, false
	}
	t.Application = application
	return t, true
}

// FindTarget returns the target of the override of a name in an environment that has these deploy postfixes,
// whatever it may be associated with; false when the name does not say. Where two deploy postfixes match, the
// longer one wins.
func FindTarget(e inventory.Environment, name string, deployPostfixes []string) (Target, bool) {
	for _, c := range Contexts() {
		if t, ok := OverrideTarget(e, c, Cloud, name); ok {
			return t, true
		}
	}
	postfixes := slices.Clone(deployPostfixes)
	slices.SortFunc(postfixes, func(a, b string) int { return len(b) - len(a) })
	for _, postfix := range postfixes {
		for _, c := range Contexts() {
			if t, ok := OverrideTarget(e, c, postfix, name); ok {
				return t, true
			}
		}
	}
	return Target{}, false
}

// Link is an association of an object as its order depends on it.
type Link struct {
	ID    string
	Name  string // of the ParamSet
	Order int
}

// Arrange puts the associations of one object in one context into order and numbers them from 0: as they
// are ordered now, but all overrides after everything else, those of the environment first, then those of
// the namespace, then those of applications. It changes and returns the slice.
func Arrange(c Context, object string, links []Link) []Link {
	ofCloud, ofNamespace := Target{Context: c}.Name(), Target{Context: c, DeployPostfix: object}.Name()
	rank := func(name string) int {
		switch {
		case !IsOverride(name):
			return 0
		case name == ofCloud:
			return 1
		case name == ofNamespace:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(links, func(a, b Link) int {
		return cmp.Or(rank(a.Name)-rank(b.Name), a.Order-b.Order)
	})
	for i := range links {
		links[i].Order = i
	}
	return links
}

// Role is what a namespace is in a blue-green domain.
type Role string

// The roles that have overrides of their own.
const (
	Origin Role = "origin"
	Peer   Role = "peer"
)

// ForRole is the deploy postfix of a namespace with such a role: with -origin or -peer at its end.
func ForRole(deployPostfix string, role Role) string {
	if suffix := "-" + string(role); role != "" && !strings.HasSuffix(deployPostfix, suffix) {
		return deployPostfix + suffix
	}
	return deployPostfix
}

// String describes the target in messages.
func (t Target) String() string {
	switch t.Level() {
	case LevelApplication:
		return fmt.Sprintf("the application %s of %s in %s", t.Application, t.DeployPostfix, t.Environment)
	case LevelNamespace:
		return fmt.Sprintf("%s in %s", t.DeployPostfix, t.Environment)
	}
	return t.Environment.String()
}
