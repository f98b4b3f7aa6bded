package httpapi_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

type described struct {
	embedded
	*optional
	Text   string          `json:"text" doc:"a text"`
	Level  string          `json:"level,omitempty" enum:"low,high"`
	Take   api.Take        `json:"take"`
	Time   time.Time       `json:"time"`
	Any    json.RawMessage `json:"any,omitempty"`
	Absent *string         `json:"absent"`
	Items  []inner         `json:"items,omitzero"`
	Counts map[string]int  `json:"counts"`
	Hidden string          `json:"-"`
}

type embedded struct {
	Flag bool `json:"flag"`
}

type optional struct {
	Extra bool `json:"extra"`
}

type inner struct {
	Number int64 `json:"number,omitempty"`
}

// TestDescribe covers every form of field that bodies have.
func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		name  string
		types map[string]any
		want  string
	}{
		{"all forms", map[string]any{"A": described{}}, `{"A":{"properties":{
			"absent":{"type":["string","null"]},"any":{},"counts":{"additionalProperties":{"type":"integer"},"type":"object"},
			"extra":{"type":"boolean"},"flag":{"type":"boolean"},
			"items":{"items":{"properties":{"number":{"type":"integer"}},"type":"object"},"type":"array"},
			"level":{"enum":["low","high"],"type":"string"},"take":{"enum":["staged","now"],"type":"string"},
			"text":{"description":"a text","type":"string"},"time":{"format":"date-time","type":"string"}},
			"required":["flag","text","take","time","absent","counts"],"type":"object"}}`},
		{"names", map[string]any{"A": []inner{}, "B": inner{}}, `{"A":{"items":{"$ref":"#/components/schemas/B"},"type":"array"},
			"B":{"properties":{"number":{"type":"integer"}},"type":"object"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var want any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(httpapi.Describe(test.types))
			if err != nil {
				t.Fatal(err)
			}
			compact, err := json.Marshal(want)
			if err != nil || string(got) != string(compact) {
				t.Errorf("got %s, want %s", got, compact)
			}
		})
	}
}
