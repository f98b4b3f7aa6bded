package descriptor

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// shownReport is a Report as it is answered.
type shownReport struct {
	EnvironmentID string        `json:"environmentId"`
	DryRun        bool          `json:"dryRun,omitempty"`
	Full          *shownWritten `json:"full,omitempty"`
	Delta         *shownWritten `json:"delta,omitempty"`
	Warnings      []api.Message `json:"warnings"`
}

type shownWritten struct {
	Effect  store.Effect    `json:"effect"`
	ETag    string          `json:"etag,omitempty"`
	SD      *value.Value    `json:"sd"`
	Changes []sd.Difference `json:"changes"`
}

type shownMerge struct {
	Result   *value.Value    `json:"result"`
	Changes  []sd.Difference `json:"changes"`
	Warnings []api.Message   `json:"warnings"`
}

func show(r *Report, dryRun bool) shownReport {
	return shownReport{EnvironmentID: r.Environment.String(), DryRun: dryRun,
		Full: showWritten(r.Full, dryRun), Delta: showWritten(r.Delta, dryRun), Warnings: api.NewMessages(r.Warnings)}
}

func showWritten(w *Written, dryRun bool) *shownWritten {
	if w == nil {
		return nil
	}
	s := &shownWritten{Effect: w.Effect, SD: w.SD.Value(), Changes: showChanges(w.Changes)}
	if !dryRun {
		s.ETag = w.Document.ETag().String()
	}
	return s
}

// showChanges shows a list if there are none, not null.
func showChanges(changes []sd.Difference) []sd.Difference {
	if changes == nil {
		return []sd.Difference{}
	}
	return changes
}

func statusOf(w *Written) int {
	if w.Effect == store.WasCreated {
		return http.StatusCreated
	}
	return http.StatusOK
}

// schemas describe the bodies.
func schemas() map[string]httpapi.Schema {
	type schema = httpapi.Schema
	text, flag := schema{"type": "string"}, schema{"type": "boolean"}
	listOf := func(items schema) schema { return schema{"type": "array", "items": items} }
	descr := httpapi.SchemaRef("SolutionDescriptor")
	written, changes, warnings := httpapi.SchemaRef("SolutionWritten"), listOf(httpapi.SchemaRef("SolutionChange")), listOf(httpapi.SchemaRef("SolutionWarning"))
	modes := schema{"type": "string", "enum": sd.Modes()}
	oneOrMore := schema{"anyOf": []schema{text, listOf(text)}, "description": "artifacts, as application:version"}
	data := schema{"description": "the descriptors, as objects or as a string with JSON or YAML"}
	return map[string]schema{
		"SolutionDescriptor": {"type": "object", "required": []string{"applications"}, "properties": schema{
			"version": schema{}, "type": text, "deployMode": text, "userData": schema{}, "deployGraph": listOf(schema{"type": "object", "properties": schema{
				"chunkName": text, "apps": listOf(text)}}),
			"applications": listOf(schema{"anyOf": []schema{text, {"type": "object", "required": []string{"version"}, "properties": schema{
				"version": schema{"type": "string", "description": "application:version"}, "deployPostfix": text, "alias": text}}}})}},
		"SolutionParameters": {"type": "object", "properties": schema{
			sd.ParamSourceType: schema{"type": "string", "enum": []string{"artifact", "json"}},
			sd.ParamVersion:    oneOrMore, sd.ParamVersionMultiple: oneOrMore, sd.ParamData: data, sd.ParamDataMultiple: data,
			sd.ParamDelta: schema{"anyOf": []schema{flag, text}}, sd.ParamMergeMode: modes, sd.ParamRepoMergeMode: modes}},
		"SolutionMerge": {"type": "object", "required": []string{memberFull, memberDeltas}, "properties": schema{
			memberMode: modes, memberFull: descr, memberDeltas: listOf(descr)}},
		"SolutionMerged": {"type": "object", "required": []string{"result", "changes", "warnings"}, "properties": schema{
			"result": descr, "changes": changes, "warnings": warnings}},
		"SolutionReport": {"type": "object", "required": []string{"environmentId", "warnings"}, "properties": schema{
			"environmentId": text, "dryRun": flag, "full": written, "delta": written, "warnings": warnings}},
		"SolutionWritten": {"type": "object", "required": []string{"effect", "sd", "changes"}, "properties": schema{
			"effect": schema{"type": "string", "enum": []store.Effect{store.WasCreated, store.WasUpdated, store.WasUnchanged}}, "etag": text, "sd": descr, "changes": changes}},
		"SolutionChange": {"type": "object", "required": []string{"change", "path", "message"}, "properties": schema{
			"change": schema{"type": "string", "enum": []sd.Change{sd.Added, sd.Removed, sd.Changed, sd.Moved}},
			"path":   text, "message": text, "old": schema{}, "new": schema{}}},
		"SolutionWarning": httpapi.DescribeType(api.Message{}),
	}
}
