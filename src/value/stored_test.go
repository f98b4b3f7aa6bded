package value_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Stored data is read without the limits of inputs.
func TestStoredDataHasNoLimits(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"bytes", `{"text":"` + strings.Repeat("x", value.DefaultBytes) + `"}`},
		{"depth", strings.Repeat("[", value.DefaultDepth+1) + strings.Repeat("]", value.DefaultDepth+1)},
		{"values", `[1` + strings.Repeat(",1", value.DefaultValues) + `]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := value.ParseJSON([]byte(tt.text), value.Limits{}); dovetail.CodeOf(err) != dovetail.CodeTooLarge {
				t.Fatalf("an input of this size gives %v", err)
			}
			doc := &dovetail.Document{ID: "cluster/c1", Data: []byte(tt.text), Status: []byte(tt.text)}
			if v, err := value.DataOf(doc, nil); err != nil || len(v.JSON()) != len(tt.text) {
				t.Errorf("data: %v", err)
			}
			if _, err := value.StatusOf(doc); err != nil {
				t.Errorf("status: %v", err)
			}
		})
	}
}

func TestStoredDataErrors(t *testing.T) {
	full := errors.New("full")
	for _, tt := range []struct {
		name, text string
		charge     func(int) error
		is         error
		code       dovetail.Code
		message    string
	}{
		{name: "damaged", text: `{"a":`, code: dovetail.CodeCorrupt, message: "the stored data of cluster/c1 cannot be read; run dovetail fsck"},
		{name: "empty", text: "", code: dovetail.CodeCorrupt, message: "the stored data of cluster/c1 cannot be read; run dovetail fsck"},
		{name: "refused", text: "[1]", charge: func(int) error { return full }, is: full, message: "full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := value.DataOf(&dovetail.Document{ID: "cluster/c1", Data: []byte(tt.text)}, tt.charge)
			if err == nil || err.Error() != tt.message || tt.is != nil && !errors.Is(err, tt.is) || tt.code != "" && dovetail.CodeOf(err) != tt.code {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := value.ParseStored(nil, nil); err == nil || err.Error() != "stored data cannot be read; run dovetail fsck" {
		t.Errorf("without a document: %v", err)
	}
}
