package app

import (
	"slices"
	"testing"
)

// realMetadata is that of an environment of EnvGene's own tests (Apache License 2.0), without what only its pipelines read.
const realMetadata = `{"description": "description from metadata", "owners": ["owner from metadata"], "labels": ["label1", "label2"], "teams": ["team-from-metadata"], "status": "IN_USE",
"expirationDate": "2025-12-31", "type": "DESIGN_TIME", "role": "QA", "accessGroups": ["group1", "group2"], "effectiveAccessGroups": ["group1", "group2", "group3"], "ssp_standalone": true}`

// TestEnvironmentMetadata stores what people want to know of environments, finds environments by it, changes it, and refuses what is no such thing.
func TestEnvironmentMetadata(t *testing.T) {
	server := start(t, nil)
	server.must(t, 201, "POST", "/v2/clusters", named("c"))
	for name, metadata := range map[string]string{"real": realMetadata, "other": `{"type": "RUNTIME", "status": "FREE", "owners": "one"}`, "none": `null`} {
		server.must(t, 201, "POST", "/v2/clusters/c/environments", `{"metadata": {"name": "`+name+`"}, "spec": {"definition": {"metadata": `+metadata+`}}}`)
	}
	const date = "fieldSelector=spec.definition.metadata.expirationDate!%3D" // those that have one
	found := func(query string) []string {
		t.Helper()
		var all []struct{ Metadata struct{ Name string } }
		decode(t, server.must(t, 200, "GET", "/v2/clusters/c/environments?"+query, ""), &all)
		var names []string
		for _, one := range all {
			names = append(names, one.Metadata.Name)
		}
		slices.Sort(names)
		return names
	}
	for query, want := range map[string][]string{"status=IN_USE": {"real"}, "type=RUNTIME": {"other"}, "role=QA": {"real"}, "status=FREE&type=DESIGN_TIME": nil, date: {"real"},
		"owner=owner+from+metadata": {"real"}, "owner=one": {"other"}, "owner=nobody": nil, "team=team-from-metadata": {"real"}, "label=label2": {"real"}, "label=label1&label=label2": {"real"}, "label=label1&owner=one": nil,
		"expirationDate=2025-12-31": {"real"}, "fieldSelector=spec.definition.metadata.expirationDate%3C2026-01-01": {"real"}, "fieldSelector=spec.definition.metadata.expirationDate%3C2025-12-31": nil,
		"fieldSelector=spec.definition.metadata.labels%5B*%5D%3Dlabel1": {"real"}, "": {"none", "other", "real"}} {
		if got := found(query); !slices.Equal(got, want) {
			t.Errorf("?%s finds %v, want %v", query, got, want)
		}
	}
	patch := func(status int, metadata string) {
		t.Helper()
		server.must(t, status, "PATCH", "/v2/clusters/c/environments/real", `{"spec": {"definition": {"metadata": `+metadata+`}}}`)
	}
	patch(200, `{"status": "RESERVED", "owners": ["a", "b"], "expirationDate": "2027-06-30"}`)
	if got := found("status=RESERVED"); !slices.Equal(got, []string{"real"}) {
		t.Errorf("after the change %v", got)
	}
	for _, wrong := range []string{`{"status": "in use"}`, `{"type": 1}`, `{"owners": [1]}`, `{"teams": {"a": 1}}`, `{"labels": [""]}`, `{"expirationDate": "soon"}`, `{"expirationDate": "2027-02-31"}`, `{"expirationDate": "2027-02-29"}`, `{"expirationDate": "2100-02-29"}`, `{"expirationDate": "2027-06-31T10:00:00Z"}`, `{"expirationDate": "2027-13-01"}`, `{"expirationDate": "2027-01-00"}`} {
		patch(422, wrong)
	}
	for _, day := range []string{"2028-02-29", "2000-02-29", "2027-12-31", "2027-04-30T10:00:00Z", ""} {
		patch(200, `{"expirationDate": "`+day+`"}`)
	}
	patch(200, `{"expirationDate": null}`)
	if got := found(date); got != nil {
		t.Errorf("with a date there is %v", got)
	}
}
