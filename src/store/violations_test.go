package store_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// What breaks a JSON Schema is described up to a number, and counted to the end.
func TestViolationsAreCounted(t *testing.T) {
	s := open(t, "resources:\n- name: a\n  schema: {properties: {n: {items: {type: string}}}}\n")
	data, err := value.ParseJSON([]byte(`{"n":[`+strings.Repeat("1,", 249)+"1]}"), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Apply(t.Context(), []store.Operation{{Verb: store.Put, ID: "a/x", Data: data}}, store.Options{})
	e := dovetail.AsError(err)
	if e == nil || len(e.Errors) != dovetail.MaxErrors || e.Total != 250 {
		t.Fatalf("%v", err)
	}
}
