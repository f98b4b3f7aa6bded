package override

import (
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// shownParamSet is a ParamSet as it is answered.
type shownParamSet struct {
	ID           string       `json:"id"`
	Version      string       `json:"version,omitempty"`
	Name         string       `json:"name"`
	Location     string       `json:"location"`
	Parameters   *value.Value `json:"parameters"`
	Applications *value.Value `json:"applications"`
}

func showParamSet(s stored, version string) shownParamSet {
	location, name := placeOf(s.id)
	shown := shownParamSet{ID: parameters.ParamSetID(location, name), Version: version, Name: name, Location: location.String(),
		Parameters: s.spec().Get(memberParameters), Applications: s.spec().Get(memberApplications)}
	if isNull(shown.Parameters) {
		shown.Parameters = value.NewMap()
	}
	if isNull(shown.Applications) {
		shown.Applications = value.NewList()
	}
	return shown
}

func asParamSet(s stored, version string) any { return showParamSet(s, version) }

// shownPlace is what an answer is about.
type shownPlace struct {
	EnvironmentID   string `json:"environmentId"`
	Context         string `json:"context"`
	NamespaceName   string `json:"namespaceName,omitempty"`
	ApplicationName string `json:"applicationName,omitempty"`
}

func showPlace(p place, context string) shownPlace {
	shown := shownPlace{EnvironmentID: p.Environment.String(), Context: context, ApplicationName: p.Application}
	if p.namespace != nil && p.DeployPostfix != "" {
		shown.NamespaceName = p.namespace.called
	}
	return shown
}

// shownOverride is an override as it is answered: the parameters of its level, and the ParamSet that they
// stand in.
type shownOverride struct {
	Message string `json:"message,omitempty"`
	ID      string `json:"id"`
	Version string `json:"version,omitempty"`
	shownPlace
	Level      parameters.Level `json:"level"`
	Parameters *value.Value     `json:"parameters"`
	ParamSet   shownParamSet    `json:"paramSet"`
	Notices    []string         `json:"notices,omitempty"`
}

func showOverride(of *override, notices []string) shownOverride {
	shown := shownOverride{Version: of.version, shownPlace: showPlace(of.place, of.Context.Token()), Level: of.Level(),
		Parameters: parameters.Of(of.spec(), of.Application), ParamSet: showParamSet(of.stored, of.version), Notices: notices}
	shown.ID = shown.ParamSet.ID
	if shown.Parameters == nil {
		shown.Parameters = value.NewMap()
	}
	return shown
}

// shownAssociation is an association as it is answered.
type shownAssociation struct {
	ID               string   `json:"id"`
	Version          string   `json:"version,omitempty"`
	ParamSetID       string   `json:"paramSetId"`
	EnvironmentID    string   `json:"environmentId"`
	AssociatedObject string   `json:"associatedObject"`
	Context          string   `json:"context"`
	Order            int      `json:"order"`
	Notices          []string `json:"notices,omitempty"`
}

func showAssociation(a association, version string) shownAssociation {
	shown := shownAssociation{ID: a.name(), Version: version, ParamSetID: uuidOf(a.paramSet), EnvironmentID: a.environment.String(),
		AssociatedObject: a.object, Context: a.context.Token(), Order: a.order}
	if a.context == parameters.Pipeline && a.object != parameters.Cloud {
		shown.Notices = []string{pipelineOfNamespace}
	}
	return shown
}

func asAssociation(s stored, version string) any {
	a, _ := associationOf(s)
	return showAssociation(a, version)
}

// shownEffective is an effective set as it is answered.
type shownEffective struct {
	shownPlace
	Generated *time.Time `json:"generated,omitempty"`
	effectiveset.Shown
}

func showEffective(set *effective, view parameters.View) shownEffective {
	shown := shownEffective{shownPlace: showPlace(set.place, string(set.Context)), Shown: effectiveset.Show(set.EffectiveSet, set.calculated, view, set.findings)}
	if !set.generated.IsZero() {
		at := set.generated.UTC()
		shown.Generated = &at
	}
	return shown
}

// outcomeOf returns what a change left of a document.
func outcomeOf(result *store.Result, id dovetail.ID) (stored, bool) {
	for _, outcome := range result.Outcomes {
		if outcome.Document.ID == id {
			s, err := parse(outcome.Document)
			return s, err == nil
		}
	}
	return stored{}, false
}
