package sd_test

import (
	"context"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

const oneSD = `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`

func TestParseRequest(t *testing.T) {
	tests := []struct {
		name   string
		params map[string]string
		want   string // mode, delta, artifacts, number of SDs; or reasons and places
	}{
		{"defaults", map[string]string{"SD_DATA": oneSD}, "basic-merge true [] 1"},
		{"empty values are absent", map[string]string{"SD_DATA": oneSD, "SD_VERSION": "", "SD_DELTA": " ", "SD_MERGE_MODE": "", "SD_SOURCE_TYPE": "json"}, "basic-merge true [] 1"},
		{"artifact", map[string]string{"SD_VERSION": "a:1"}, "basic-merge true [a:1] 0"},
		{"several artifacts", map[string]string{"SD_VERSION_MULTIPLE": "a:1\nb:2:3\r\n\n c:4 "}, "basic-merge true [a:1 b:2:3 c:4] 0"},
		{"a written line break", map[string]string{"SD_VERSION_MULTIPLE": `a:1\nb:2`}, "basic-merge true [a:1 b:2] 0"},
		{"several in the single form", map[string]string{"SD_VERSION": "a:1\nb:2"}, "basic-merge true [a:1 b:2] 0"},
		{"a list in the single form", map[string]string{"SD_DATA": "[" + oneSD + "," + oneSD + "]"}, "basic-merge true [] 2"},
		{"YAML", map[string]string{"SD_DATA": "applications:\n- version: a:1\n  deployPostfix: x\n"}, "basic-merge true [] 1"},
		{"the source type chooses", map[string]string{"SD_SOURCE_TYPE": "artifact", "SD_VERSION": "a:1", "SD_DATA": "{"}, "basic-merge true [a:1] 0"},
		{"no delta", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "False"}, "basic-merge false [] 1"},
		{"mode", map[string]string{"SD_DATA": oneSD, "SD_MERGE_MODE": "extended-merge"}, "extended-merge true [] 1"},
		{"short mode", map[string]string{"SD_DATA": oneSD, "SD_MERGE_MODE": "basic-exclusion"}, "basic-exclusion-merge true [] 1"},
		{"other name of the mode", map[string]string{"SD_DATA": oneSD, "SD_REPO_MERGE_MODE": "replace"}, "replace true [] 1"},
		{"both names, one mode", map[string]string{"SD_DATA": oneSD, "SD_REPO_MERGE_MODE": "replace", "SD_MERGE_MODE": "replace"}, "replace true [] 1"},
		{"several artifacts in one line", map[string]string{"SD_VERSION": "a:1,b:2; c:3  d:4\te:5,\n"}, "basic-merge true [a:1 b:2 c:3 d:4 e:5] 0"},
		{"letters of any case", map[string]string{"SD_DATA": oneSD, "SD_SOURCE_TYPE": "JSON", "SD_MERGE_MODE": "Basic-Merge", "SD_REPO_MERGE_MODE": "basic-MERGE", "SD_DELTA": "TRUE"}, "basic-merge true [] 1"},
		{"no delta, and how several become one", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "false", "SD_MERGE_MODE": "extended-merge"}, "extended-merge false [] 1"},
		{"no delta, and replace", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "false", "SD_REPO_MERGE_MODE": "replace"}, "replace false [] 1"},
		{"delta, and a merge", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "true", "SD_REPO_MERGE_MODE": "extended-merge"}, "extended-merge true [] 1"},
		{"parameters of others", map[string]string{"SD_DATA": oneSD, "ENV_NAMES": "x"}, "basic-merge true [] 1"},

		{"nothing", nil, "SD_PARAM_MISSING SD_SOURCE_TYPE"},
		{"no artifact", map[string]string{"SD_SOURCE_TYPE": "artifact"}, "SD_PARAM_MISSING SD_VERSION"},
		{"no data", map[string]string{"SD_SOURCE_TYPE": "json", "SD_VERSION": "a:1"}, "SD_PARAM_MISSING SD_DATA"},
		{"both sources", map[string]string{"SD_DATA": oneSD, "SD_VERSION": "a:1"}, "SD_PARAM_CONFLICT SD_SOURCE_TYPE"},
		{"both forms of data", map[string]string{"SD_DATA": oneSD, "SD_DATA_MULTIPLE": "[]"}, "SD_PARAM_CONFLICT SD_DATA_MULTIPLE"},
		{"both forms of artifacts", map[string]string{"SD_VERSION": "a:1", "SD_VERSION_MULTIPLE": "a:1"}, "SD_PARAM_CONFLICT SD_VERSION_MULTIPLE"},
		{"two modes", map[string]string{"SD_DATA": oneSD, "SD_MERGE_MODE": "replace", "SD_REPO_MERGE_MODE": "basic-merge"}, "SD_PARAM_CONFLICT SD_REPO_MERGE_MODE"},
		{"no delta, and a merge into the stored SD", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "false", "SD_REPO_MERGE_MODE": "basic-merge"}, "SD_PARAM_CONFLICT SD_DELTA"},
		{"delta, and replace", map[string]string{"SD_DATA": oneSD, "SD_DELTA": "true", "SD_REPO_MERGE_MODE": "replace"}, "SD_PARAM_CONFLICT SD_DELTA"},
		{"only separators", map[string]string{"SD_VERSION": " ,; "}, "SD_PARAM_MISSING SD_VERSION"},
		{"a map for a list", map[string]string{"SD_DATA_MULTIPLE": oneSD}, "SD_DATA_MALFORMED SD_DATA_MULTIPLE:1:1"},
		{"an empty list", map[string]string{"SD_DATA_MULTIPLE": "[]"}, "SD_DATA_MALFORMED SD_DATA_MULTIPLE:1:1"},
		{"a list of other things", map[string]string{"SD_DATA": "[{}, 1]"}, "SD_DATA_MALFORMED SD_DATA:1:2 /0/applications, SD_DATA_MALFORMED SD_DATA:1:6 /1"},
		{"a text", map[string]string{"SD_DATA": `'` + oneSD + `'`}, "SD_DATA_MALFORMED SD_DATA:1:1"},
		{"everything", map[string]string{"SD_DELTAS": "x", "SD_MERGE_MODE": "merge", "SD_DELTA": "yes", "SD_VERSION": "a\nb:\n:c\nd:1"},
			"SD_PARAM_INVALID SD_DELTAS, SD_PARAM_INVALID SD_MERGE_MODE, SD_PARAM_INVALID SD_DELTA, SD_PARAM_INVALID SD_VERSION, SD_PARAM_INVALID SD_VERSION, SD_PARAM_INVALID SD_VERSION"},
		{"source type", map[string]string{"SD_SOURCE_TYPE": "yaml", "SD_REPO_MERGE_MODE": "x"}, "SD_PARAM_INVALID SD_REPO_MERGE_MODE, SD_PARAM_INVALID SD_SOURCE_TYPE"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := sd.ParseRequest(test.params)
			if got := requestText(r, err); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func requestText(r *sd.Request, err error) string {
	if err == nil {
		var artifacts []string
		for _, a := range r.Artifacts {
			artifacts = append(artifacts, a.String())
		}
		delta := "true"
		if !r.Delta {
			delta = "false"
		}
		return string(r.Mode) + " " + delta + " [" + strings.Join(artifacts, " ") + "] " + string(rune('0'+len(r.Data)))
	}
	var reasons []string
	for _, part := range parts(err) {
		reasons = append(reasons, part.Reason+" "+part.Position.String())
	}
	return strings.Join(reasons, ", ")
}

// fetcher answers with a text for each artifact, or an error.
type fetcher map[string]string

func (f fetcher) Fetch(_ context.Context, a sd.Artifact) (source string, text []byte, err error) {
	if text, ok := f[a.String()]; ok {
		return a.String() + ".json", []byte(text), nil
	}
	return "", nil, a.NotFound("the test")
}

func TestFetch(t *testing.T) {
	artifacts := fetcher{"a:1": oneSD, "bad:1": "{", "other:1": "[]"}
	tests := []struct{ name, versions, want string }{
		{"one", "a:1", ""},
		{"several", "a:1\na:1", ""},
		{"all that is wrong", "a:1\nnone:1\nbad:1\nother:1", "SD_ARTIFACT_NOT_FOUND none:1, SD_DATA_MALFORMED bad:1.json:1:2, SD_DATA_MALFORMED other:1.json:1:1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := sd.ParseRequest(map[string]string{"SD_VERSION": test.versions})
			if err != nil {
				t.Fatal(err)
			}
			sds, err := r.Fetch(t.Context(), artifacts)
			switch {
			case test.want != "":
				if got := requestText(nil, err); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			case err != nil || len(sds) != len(r.Artifacts):
				t.Errorf("%d SDs, %v", len(sds), err)
			}
		})
	}
	r := &sd.Request{Artifacts: []sd.Artifact{{Application: "a", Version: "1"}}}
	t.Run("no source", func(t *testing.T) {
		if _, err := r.Fetch(t.Context(), nil); requestText(nil, err) != "SD_ARTIFACT_NOT_FOUND a:1" {
			t.Error(err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Fetch(ctx, artifacts); dovetail.CodeOf(err) != dovetail.CodeCanceled {
			t.Error(err)
		}
	})
}
