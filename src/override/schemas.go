package override

import (
	"maps"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// schemas describe the bodies.
func schemas() map[string]httpapi.Schema {
	type schema = httpapi.Schema
	ref := httpapi.SchemaRef
	text, number, flag, date := schema{"type": "string"}, schema{"type": "integer"}, schema{"type": "boolean"}, schema{"type": "string", "format": "date-time"}
	listOf := func(items schema) schema { return schema{"type": "array", "items": items} }
	values := schema{"type": "object", "description": "names with values of any type"}
	contexts := schema{"type": "string", "enum": []string{"deploy", "deployment", "runtime", "pipeline"}}
	applications := listOf(schema{"type": "object", "required": []string{"appName"}, "properties": schema{"appName": text, "parameters": values}})
	levels := schema{"type": "string", "enum": []parameters.Level{parameters.LevelEnvironment, parameters.LevelNamespace, parameters.LevelApplication}}
	with := func(some schema, more schema) schema {
		all := schema{}
		for _, properties := range []schema{some, more} {
			for name, v := range properties {
				all[name] = v
			}
		}
		return all
	}
	place := schema{sayEnvironment: text, sayContext: contexts, sayNamespace: text, sayApplication: text}
	author := schema{sayMessage: text, sayUser: text, sayEmail: text}
	paramSet := schema{memberName: text, sayLocation: text, memberParameters: values, memberApplications: applications}
	association := schema{sayEnvironment: text, memberAssociatedObject: schema{"type": "string", "description": "cloud, or a deploy postfix"},
		memberContext: contexts, memberOrder: number}
	moveOf := schema{memberContext: contexts, memberAssociatedObject: association[memberAssociatedObject], sayApplication: text}
	source := ref("ParameterSource")
	basis := schema{"type": "string", "enum": []string{effectiveset.BasisCalculation, effectiveset.BasisGenerated},
		"description": "how the set was made: it is calculated or, if that is not possible, overrides are applied to the generated files, and findings give the reason"}
	all := map[string]schema{
		"OverrideRequest": {"type": "object", "properties": with(with(place, author), schema{memberParameters: values, memberApplications: applications})},
		"OverrideDraft":   {"type": "object", "required": []string{sayLevel, memberParameters}, "properties": schema{sayLevel: levels, memberParameters: values}},
		"CommonParameter": {"type": "object", "required": []string{memberContext, memberAssociatedObject, "parameter", "value", sayEnvironments, "others"}, "properties": with(moveOf, schema{
			"parameter": text, "value": schema{"description": "the value in all of the environments"}, sayEnvironments: listOf(text),
			"others": schema{"type": "array", "items": text, "description": "environments whose override of the same object sets another value"}})},
		"MoveRequest": {"type": "object", "required": []string{memberContext, memberAssociatedObject, sayNames, sayEnvironments, sayTo}, "properties": with(with(moveOf, author), schema{
			sayNames: listOf(text), sayEnvironments: listOf(text),
			sayTo: schema{"type": "object", "required": []string{memberName, sayLocation}, "properties": schema{memberName: text, sayLocation: text,
				memberAssociatedObject: schema{"type": "string", "description": "cloud, or the object of the overrides (default)"}}},
			sayDifferences: schema{"type": "string", "enum": []string{refuseThem, acceptThem}, "description": "whether the move is refused if it would change values; default refuse"}})},
		"Move": {"type": "object", "required": []string{"paramSet", "created", sayEnvironments, sayDifferences, "applied"}, "properties": schema{
			"paramSet": ref("ParamSet"), "created": flag, "applied": flag, "notices": listOf(text),
			sayEnvironments: listOf(schema{"type": "object", "required": []string{sayEnvironment, "override", "deleted", "associated"}, "properties": schema{
				sayEnvironment: text, "override": text, "deleted": schema{"type": "boolean", "description": "whether the override is deleted because it is empty"},
				"associated": schema{"type": "boolean", "description": "whether the move associates the ParamSet with the object"}}}),
			sayDifferences: listOf(schema{"type": "object", "required": []string{sayEnvironment, memberAssociatedObject, "path"}, "description": "a value that the move changes", "properties": schema{
				sayEnvironment: text, memberAssociatedObject: text, sayApplication: text, "path": text, "from": schema{}, "to": schema{},
				"own": schema{"type": "boolean", "description": "whether the namespace itself sets it, not a ParamSet"}}})}},
		"Override": {"type": "object", "required": []string{"id", sayEnvironment, sayContext, "level", memberParameters, "paramSet"}, "properties": with(place, schema{
			"message": text, "id": text, "version": text, "level": levels, memberParameters: values, "paramSet": ref("ParamSet"), "notices": listOf(text)})},
		"ParamSetRequest": {"type": "object", "properties": with(with(paramSet, author), schema{sayUses: listOf(ref("ParamSetAssociationRequest"))})},
		"ParamSet": {"type": "object", "required": []string{"id", memberName, sayLocation, memberParameters, memberApplications},
			"properties": with(paramSet, schema{"id": text, "version": text})},
		"ParamSetAssociationRequest": {"type": "object", "required": []string{sayEnvironment, memberAssociatedObject, memberContext}, "properties": with(association, author)},
		"ParamSetAssociation": {"type": "object", "required": []string{"id", "paramSetId", sayEnvironment, memberAssociatedObject, memberContext, memberOrder},
			"properties": with(association, schema{"id": text, "version": text, "paramSetId": text, "notices": listOf(text)})},
		"EffectiveSet": {"type": "object", "required": []string{sayEnvironment, sayContext, memberParameters}, "properties": with(place, schema{
			"generated": date, memberParameters: values, "secrets": schema{"type": "array", "items": text, "description": "paths of the parameters that come from a credentials file"}, "changes": listOf(ref("ParameterChange")), "explained": listOf(ref("ParameterExplanation")),
			"basis":    basis,
			"findings": listOf(ref("CalculatedFinding"))})},
		"CalculatedSet": {"type": "object", "required": []string{sayEnvironment, sayContext, "basis", "complete", "files", "findings"}, "properties": schema{
			sayEnvironment: text, "basis": basis, sayContext: schema{"type": "string", "enum": calculatedContexts()},
			"complete": schema{"type": "boolean", "description": "whether the set is complete: no finding is an error"},
			"files": listOf(schema{"type": "object", "required": []string{"path", "content"}, "properties": schema{"path": text, "content": text,
				"explained": listOf(ref("ParameterExplanation"))}}),
			"findings": listOf(ref("CalculatedFinding"))}},
		"ImpactRequest": {"type": "object", "properties": schema{sayOverride: ref("OverrideRequest"), sayParamSet: ref("ParamSetRequest")},
			"description": "one of the two, as it would be stored"},
		"ImpactLine": {"type": "object", "description": "one of the three; the last line has the impact, or the problem that prevents it", "properties": schema{
			sayProgress: httpapi.DescribeType(api.SetProgress{}),
			"impact":    ref("EffectiveSetImpact"), "problem": ref("Problem")}},
		"ParameterChange": {"type": "object", "required": []string{"path", "value", "origin"}, "properties": schema{
			"path": text, "value": schema{}, "origin": source, "previous": schema{}, "previousPath": text,
			"file": schema{"type": "string", "description": "the file of a calculated set"}, "removed": schema{"type": "boolean", "description": "whether the parameter was removed"}}},
		"ParameterExplanation": {"type": "object", "required": []string{"path", "value", "source", "why", "chain"}, "properties": schema{
			"path": text, "value": schema{}, "source": source, "chain": listOf(source),
			"why": schema{"type": "string", "enum": []string{parameters.BecauseOnly, parameters.BecauseLater, parameters.BecauseOverride, parameters.BecauseCalculated}}}},
		"ParameterSource": {"type": "object", "required": []string{memberName, memberOrder}, "properties": schema{
			memberName: text, "file": flag, "level": explainedLevels(), sayLocation: text, memberOrder: number, "override": flag,
			"path": text, "value": schema{}, "won": flag, "input": flag, "calculated": flag, "macros": listOf(ref("ParameterReference"))}},
		"ParameterReference": {"type": "object", "required": []string{"macro", "chain"}, "properties": schema{"macro": text, "chain": listOf(source)}},
	}
	maps.Copy(all, httpapi.Describe(map[string]any{"CalculatedFinding": api.Finding{}, "EffectiveSetImpact": api.SetImpact{},
		"EnvironmentImpact": api.EnvironmentImpact{}, "EffectiveSetDifference": api.SetDifference{}, "ImpactProblem": api.SetProblem{}}))
	return all
}

// explainedLevels are those of ParamSets, and those of calculations.
func explainedLevels() httpapi.Schema {
	return httpapi.Schema{"type": "string", "enum": []string{string(parameters.LevelEnvironment), "tenant", "cloud", "cloud-application", "namespace", "application", "custom", "sbom", "profile", "credential", "calculated"}}
}
