package resolution

import (
	"fmt"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// shownAnswer is what resolving without storing answers.
type shownAnswer struct {
	Selections  *[]string          `json:"selections,omitempty"`
	Plan        []solver.Step      `json:"plan,omitzero"`
	Rollback    *solver.Rollback   `json:"rollback,omitempty"`
	Explanation []solver.Selection `json:"explanation,omitempty"`
	Unsat       *solver.Unsat      `json:"unsat,omitempty"`
	TimedOut    bool               `json:"timedOut,omitempty"`
	Message     string             `json:"message"`
	InputDigest string             `json:"inputDigest"`
}

func show(problem *solver.Problem, outcome *solver.Outcome, explain bool) shownAnswer {
	a := shownAnswer{Unsat: outcome.Unsat, TimedOut: outcome.TimedOut, Message: outcome.Message, InputDigest: problem.Digest()}
	if outcome.Resolved() {
		selections := make([]string, 0, len(outcome.Selections))
		for _, s := range outcome.Selections {
			selections = append(selections, s.String())
		}
		a.Selections, a.Plan, a.Rollback = &selections, outcome.Plan, outcome.Rollback
		if explain {
			a.Explanation = outcome.Selections
		}
	}
	return a
}

// shownLoaded counts what a load did.
type shownLoaded struct {
	Source    string `json:"source"`
	DryRun    bool   `json:"dryRun,omitempty"`
	Created   int    `json:"created"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Deleted   int    `json:"deleted"`
	// Warnings name what was left out.
	Warnings []string `json:"warnings,omitempty"`
	// Impact is what a load would do to ActiveResolutions; of a dry run only.
	Impact *api.SourceImpact `json:"impact,omitempty"`
}

func (l *shownLoaded) add(effect store.Effect) {
	switch effect {
	case store.WasCreated:
		l.Created++
	case store.WasUpdated:
		l.Updated++
	case store.WasUnchanged:
		l.Unchanged++
	case store.WasDeleted:
		l.Deleted++
	}
}

// maxFiles bounds the files of a catalog in a request: however small, each is read for itself.
const maxFiles = 10_000

// catalogRequest reads a request to load a catalog. All that is wrong with it is reported together.
func catalogRequest(body *value.Value) (files []catalog.File, priority *value.Value, err error) {
	var errs dovetail.Errors
	refuse := func(v *value.Value, path, message string) {
		position := v.Position()
		position.Path = path
		errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Position: position, Message: message,
			Remedy: `send {"files": [{"name": "catalog.yaml", "text": "..."}]}`})
	}
	list := body.Get("files")
	if list == nil || list.Kind != value.List {
		refuse(body, "/files", "files must be a list")
		return nil, nil, errs.Err("the request is refused")
	}
	if len(list.Items) > maxFiles {
		return nil, nil, &dovetail.Error{Code: dovetail.CodeTooLarge, Position: list.Position(), Message: fmt.Sprintf("there are %d files, more than %d", len(list.Items), maxFiles),
			Remedy: "put documents together in one file"}
	}
	for i, item := range list.Items {
		name, named := item.Get("name").Str()
		text, given := item.Get("text").Str()
		if !named || !given {
			refuse(item, "/files/"+strconv.Itoa(i), "a file needs a name and a text")
		}
		files = append(files, catalog.File{Name: name, Data: []byte(text)})
	}
	priority = body.Get("priority")
	if priority != nil && priority.Kind != value.Number {
		refuse(priority, "/priority", "priority must be a number, not a "+priority.Kind.String())
	}
	return files, priority, errs.Err("the request is refused")
}

// refusal is the error of a request that cannot be resolved, with the index of the constraint or source that is
// wrong first. What is wrong with the spec has its place there; the path in a source is none in the request.
func refusal(err error) error {
	cause := *dovetail.AsError(err)
	place := func(e *dovetail.Error) {
		if e.Reason == solver.ReasonInvalidSource {
			e.Position.Path = ""
		} else if e.Position.Path != "" {
			e.Position.Path = "/spec" + e.Position.Path
		}
	}
	parts := make([]*dovetail.Error, len(cause.Errors))
	for i, part := range cause.Errors {
		copied := *part
		place(&copied)
		parts[i] = &copied
	}
	if place(&cause); len(parts) > 0 {
		cause.Errors = parts
	}
	refused := &httpapi.ProblemError{Cause: &cause}
	if _, index, ok := solver.FaultOf(err); ok && index >= 0 {
		refused.Members = map[string]any{"index": index}
	}
	return refused
}

// schemas describe the bodies.
func schemas() map[string]httpapi.Schema {
	type schema = httpapi.Schema
	text, number, flag, object := schema{"type": "string"}, schema{"type": "integer"}, schema{"type": "boolean"}, schema{"type": "object"}
	listOf := func(items schema) schema { return schema{"type": "array", "items": items} }
	source := httpapi.SchemaRef("ResolutionSource")
	installed := schema{"type": "object", "required": []string{"name", "version"}, "properties": schema{"name": text, "version": text, "source": text,
		"upgrades": schema{"type": "string", "enum": []string{"catalog", "semver", "any"}}}}
	version := schema{"type": []string{"string", "null"}, "description": "null for none"}
	places := listOf(number)
	impact := httpapi.DescribeType(api.SourceImpact{})
	impact["description"] = "for a dry run: the effect on active resolutions"
	unsat := schema{"type": "object", "required": []string{"core", "noMatch", "message"}, "properties": schema{
		"core": places, "message": text, "packages": listOf(text), "obstacle": text, "incomplete": flag,
		"noMatch":    listOf(schema{"type": "object", "properties": schema{"constraint": number, "stage": text}}),
		"facts":      listOf(schema{"type": "object", "properties": schema{"package": text, "candidates": listOf(text), "text": text}}),
		"fixes":      listOf(schema{"type": "object", "properties": schema{"without": places, "selections": listOf(text)}}),
		"derivation": listOf(schema{"type": "object", "required": []string{"therefore", "text"}, "properties": schema{"constraints": places, "facts": places, "steps": places, "therefore": text, "text": text}})}}
	step := schema{"type": "object", "required": []string{"package", "from", "to"}, "properties": schema{"package": text, "from": version, "to": version, "source": text}}
	return map[string]schema{
		"ResolutionSource": {"type": "object", "properties": schema{"name": text, "priority": number,
			"packages": listOf(schema{"type": "object", "required": []string{"name"}, "properties": schema{"name": text, "defaultChannel": text, "deprecated": flag,
				"versions": listOf(schema{"type": "object", "required": []string{"version"}, "properties": schema{"version": text, "channels": listOf(text)}})}})}},
		"ResolutionPackage": {"type": "object", "required": []string{"name", "source", "versions", "upgrades"}, "properties": schema{"name": text, "source": text, "moreUpgrades": number, "defaultChannel": text, "deprecated": flag,
			"versions": listOf(schema{"type": "object", "required": []string{"version"}, "description": "the stored version, without its properties", "properties": schema{"version": text, "channels": listOf(text), "image": text,
				"deprecated": flag, "withdrawn": flag, "replaces": text, "skips": listOf(text), "skipRange": text, "dependencies": listOf(schema{}), "conflicts": listOf(schema{}), "provides": listOf(object),
				"error": schema{"type": "string", "description": "the reason why no resolution selects it"}}}),
			"upgrades": listOf(schema{"type": "object", "required": []string{"from", "to", "by"}, "properties": schema{
				"from": schema{"type": "string", "description": "a version, which may not exist in the package"}, "to": text,
				"by": schema{"type": "string", "enum": []string{solver.UpgradeReplaces, solver.UpgradeSkips, solver.UpgradeSkipRange}}}})}},
		"ResolutionCatalog": {"type": "object", "required": []string{"files"}, "properties": schema{"priority": number,
			"files": listOf(schema{"type": "object", "required": []string{"name", "text"}, "properties": schema{"name": text, "text": text}})}},
		"ResolutionLoaded": {"type": "object", "required": []string{"source", "created", "updated", "unchanged", "deleted"}, "properties": schema{
			"source": text, "dryRun": flag, "created": number, "updated": number, "unchanged": number, "deleted": number,
			"warnings": listOf(text), "impact": impact}},
		"ResolutionRefresh": {"type": "object", "required": []string{"requested"}, "properties": schema{
			"requested": schema{"type": "string", "format": "date-time", "description": "the refresh is done when status.follow.refreshed is not earlier than this"}}},
		"ResolutionRequest": {"type": "object", "properties": schema{"sources": listOf(source), "spec": schema{"type": "object", "properties": schema{
			"sources": listOf(text), "constraints": listOf(schema{"anyOf": []schema{text, object}}), "timeoutSeconds": schema{"type": "number"}, "prereleases": text,
			"installed": listOf(installed), "policy": schema{"anyOf": []schema{text, object}}, "maxChanges": number, "approval": text, "windows": listOf(object), "facts": object}}}},
		"ResolutionApprovalRequest": {"type": "object", "required": []string{"plan"}, "properties": schema{"plan": schema{"type": "string", "description": "planDigest in the status"}}},
		"ResolutionApproval":        httpapi.DescribeType(api.PlanApproval{}),
		"ResolutionAnswer": {"type": "object", "required": []string{"message", "inputDigest"}, "properties": schema{
			"selections": listOf(schema{"type": "string", "description": "source:name:version:channel"}), "plan": listOf(step),
			"rollback": schema{"type": "object", "properties": schema{"steps": listOf(step), "impossible": text}}, "explanation": listOf(object),
			"unsat": unsat, "timedOut": flag, "message": text, "inputDigest": text}},
	}
}
