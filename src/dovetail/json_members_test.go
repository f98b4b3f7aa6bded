package dovetail

import (
	"encoding/json"
	"testing"
)

func TestRawMembers(t *testing.T) {
	cases := []struct {
		name, text string
		want       string // names and values
		ok         bool
	}{
		{"none", `{}`, "", true},
		{"of all types", `{"a":1,"b":"x,}","c":[1,{"d":2}],"e":{"f":null},"g":true}`, `"a"=1 "b"="x,}" "c"=[1,{"d":2}] "e"={"f":null} "g"=true `, true},
		{"an escape in a value", `{"a":"\"}"}`, `"a"="\"}" `, true},
		{"an escape in a name", `{"\u0061":1}`, "", false},
		{"a space", `{"a": 1}`, "", false},
		{"a list", `[1]`, "", false},
		{"more after it", `{"a":1}x`, "", false},
		{"no end", `{"a":1`, "", false},
		{"no value", `{"a":}`, "", false},
		{"nothing", ``, "", false},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			members, ok := RawMembers([]byte(tt.text))
			got := ""
			for _, m := range members {
				got += string(m.Name) + "=" + string(m.Value) + " "
			}
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("%q %v, want %q %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// FuzzRawMembers: what is taken apart is what encoding/json finds.
func FuzzRawMembers(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{}],"c":"\u2028"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		members, ok := RawMembers(text)
		if !ok {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, m := range members {
			var name string
			if err := json.Unmarshal(m.Name, &name); err != nil {
				t.Fatalf("%q: %v", m.Name, err)
			}
			if _, there := want[name]; !there || !json.Valid(m.Value) {
				t.Fatalf("%q in %q", m.Name, text)
			}
		}
	})
}
