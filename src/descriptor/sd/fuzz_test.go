package sd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// seeds are SDs of the vectors.
func seeds(f *testing.F) []string {
	f.Helper()
	files, err := filepath.Glob(cases + "/peer/*/*/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	texts := []string{
		`{"applications":["a:1",{"version":"b:2","deployPostfix":"x","alias":null},[],{"version":1}],"deployGraph":[{"chunkName":"w","apps":["a",1]},7]}`,
		"applications: &a\n  - {version: a:1, deployPostfix: x}\ndeployGraph: *a\nuserData: {useDeployPostfixAsNamespace: true}\n",
		"[]", "applications:", "- applications: []\n- {}\n", `{[{}]}`, "",
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

func FuzzParse(f *testing.F) {
	for _, text := range seeds(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		descr, err := sd.Parse("file", []byte(text))
		if err != nil {
			complete(t, err)
		}
		for _, mode := range sd.Modes() {
			if descr != nil {
				complete(t, descr.Check(mode))
			}
		}
		for _, name := range []string{sd.ParamData, sd.ParamDataMultiple, sd.ParamVersion, sd.ParamMergeMode, sd.ParamDelta} {
			request, err := sd.ParseRequest(map[string]string{name: text})
			complete(t, err)
			if err == nil && name == sd.ParamData {
				_, err := request.Process(request.Data, sd.State{Namespaces: map[string]string{"x": "y"}})
				complete(t, err)
			}
		}
	})
}

func FuzzMerge(f *testing.F) {
	texts := seeds(f)
	for i, text := range texts {
		f.Add(byte(i), text, texts[(i+1)%len(texts)])
		f.Add(byte(2), text, text)
	}
	f.Fuzz(func(t *testing.T, mode byte, fullText, deltaText string) {
		full, err := sd.Parse("full", []byte(fullText))
		if err != nil {
			return
		}
		delta, err := sd.Parse("delta", []byte(deltaText))
		if err != nil {
			return
		}
		before := string(full.Value().JSON()) + string(delta.Value().JSON())
		sd.Diff(full, delta)
		merged, err := sd.Merge(sd.Modes()[int(mode)%4], full, delta)
		if after := string(full.Value().JSON()) + string(delta.Value().JSON()); after != before {
			t.Fatalf("%s became %s", before, after)
		}
		if err != nil {
			complete(t, err)
			return
		}
		v := merged.Descriptor.Value()
		again, err := yaml.Parse("merged", yaml.Edit([]byte(fullText), full.Value(), v), value.Limits{})
		if err != nil || len(again) != 1 || !value.Equal(again[0], v) {
			t.Fatalf("%s cannot be written over %s: %v", v.JSON(), fullText, err)
		}
	})
}

// complete wants every part of an error to say what, where and what to do.
func complete(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, part := range parts(err) {
		if !strings.HasPrefix(part.Reason, "SD_") || part.Message == "" || part.Remedy == "" || part.Position.File == "" {
			t.Fatalf("incomplete: %+v", part)
		}
	}
}
