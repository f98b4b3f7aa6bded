package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/schema"
)

func TestColumnText(t *testing.T) {
	now := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	tests := []struct{ name, column, data, want string }{
		{"a text", "path: spec.a", `{"spec":{"a":"x"}}`, "x"},
		{"none", "path: spec.a", `{"spec":{}}`, "<none>"},
		{"null", "path: spec.a", `{"spec":{"a":null}}`, "<none>"},
		{"an empty text", "path: spec.a", `{"spec":{"a":""}}`, ""},
		{"a number as text", "path: spec.a", `{"spec":{"a":1.50}}`, "1.50"},
		{"true as text", "path: spec.a", `{"spec":{"a":true}}`, "true"},
		{"an object", "path: spec.a", `{"spec":{"a":{"b": 1}}}`, `{"b":1}`},
		{"a list", "path: spec.a", `{"spec":{"a":["x",2,null,[3]]}}`, `x,2,<none>,[3]`},
		{"an empty list", "path: spec.a", `{"spec":{"a":[]}}`, "<none>"},
		{"of each item", "path: 'spec.a[*].b'", `{"spec":{"a":[{"b":"x"},{},{"b":"y"}]}}`, "x,y"},
		{"of each member", "path: spec.a.*", `{"spec":{"a":{"b":1,"c":2}}}`, "1,2"},
		{"the status", "path: status.state", `{"status":{"state":"on"}}`, "on"},
		{"a name with a dot", `path: 'metadata.labels["a.b"]'`, `{"metadata":{"labels":{"a.b":"x"}}}`, "x"},
		{"an integer", "{path: spec.a, type: integer}", `{"spec":{"a":3}}`, "3"},
		{"no integer", "{path: spec.a, type: integer}", `{"spec":{"a":3.5}}`, "<invalid>"},
		{"integers", "{path: spec.a, type: integer}", `{"spec":{"a":[1,"2"]}}`, "1,<invalid>"},
		{"a number", "{path: spec.a, type: number}", `{"spec":{"a":3.5}}`, "3.5"},
		{"a text for a number", "{path: spec.a, type: number}", `{"spec":{"a":"3"}}`, "<invalid>"},
		{"a boolean", "{path: spec.a, type: boolean}", `{"spec":{"a":false}}`, "false"},
		{"a text for a boolean", "{path: spec.a, type: boolean}", `{"spec":{"a":"no"}}`, "<invalid>"},
		{"no date", "{path: spec.a, type: date}", `{"spec":{"a":"soon"}}`, "<invalid>"},
		{"a number for a date", "{path: spec.a, type: date}", `{"spec":{"a":2026}}`, "<invalid>"},
		{"a day", "{path: spec.a, type: date}", `{"spec":{"a":"2026-02-20"}}`, "10d"},
		{"now", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-02T00:00:00Z"}}`, "0s"},
		{"seconds", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-01T23:58:01Z"}}`, "119s"},
		{"minutes and seconds", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-01T23:52:30.5Z"}}`, "7m29s"},
		{"minutes", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-01T22:00:30Z"}}`, "119m"},
		{"hours and minutes", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-01T21:30:00+02:00"}}`, "4h30m"},
		{"hours", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-01T01:00:00Z"}}`, "23h"},
		{"days and hours", "{path: spec.a, type: date}", `{"spec":{"a":"2026-02-26T22:00:00Z"}}`, "3d2h"},
		{"years and days", "{path: spec.a, type: date}", `{"spec":{"a":"2023-03-01T00:00:00Z"}}`, "3y2d"},
		{"years", "{path: spec.a, type: date}", `{"spec":{"a":"2006-03-01T00:00:00Z"}}`, "20y"},
		{"a date to come", "{path: spec.a, type: date}", `{"spec":{"a":"2026-03-12"}}`, "in 10d"},
		{"control characters", "path: spec.a", `{"spec":{"a":"a\nb\u001b[31m\u202ec"}}`, "a b [31m c"},
		{"a long text", "path: spec.a", `{"spec":{"a":"` + strings.Repeat("é", 101) + `"}}`, strings.Repeat("é", 99) + "…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			column := "{" + strings.Trim(test.column, "{}") + ", name: A}"
			kind := kindOf(t, compile(t, "resources:\n- name: device\n  columns: ["+column+"]\n"), "device")
			if got := kind.Columns[0].Text(parseJSON(t, test.data), now); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Columns are part of the meaning, in their order, so that clients that know a schema by its hash see new ones.
func TestColumnsInHashAndDiff(t *testing.T) {
	with := func(columns string) *schema.Model { return compile(t, "resources:\n- name: device\n"+columns) }
	base := with("  columns: [{name: A, path: spec.a}, {name: B, path: spec.b, wide: true}]\n")
	tests := []struct {
		name, columns string
		want          string // the difference
	}{
		{"written otherwise", "  columns: [{path: 'spec[\"a\"]', type: string, name: A, wide: false}, {wide: true, name: B, path: spec.b}]\n", ""},
		{"another order", "  columns: [{name: B, path: spec.b, wide: true}, {name: A, path: spec.a}]\n",
			"device: its lists show the columns B: spec.b, string, wide; A: spec.a, string, not A: spec.a, string; B: spec.b, string, wide"},
		{"another type", "  columns: [{name: A, path: spec.a, type: date}, {name: B, path: spec.b, wide: true}]\n",
			"device: its lists show the columns A: spec.a, date; B: spec.b, string, wide, not A: spec.a, string; B: spec.b, string, wide"},
		{"none", "", "device: its lists show the columns the usual ones, not A: spec.a, string; B: spec.b, string, wide"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			next := with(test.columns)
			var got []string
			for _, d := range schema.Diff(base, next) {
				if d.Change != schema.ColumnsChanged {
					t.Errorf("%+v", d)
				}
				got = append(got, d.Message)
			}
			if strings.Join(got, "\n") != test.want || (next.Hash() == base.Hash()) != (test.want == "") {
				t.Errorf("hash %s, that of the base %s; %q, want %q", next.Hash(), base.Hash(), got, test.want)
			}
		})
	}
}
