package deckhand

import "testing"

func TestParseLiteral(t *testing.T) {
	tests := []struct {
		name, text, want string // "" for an error
	}{
		{name: "text", text: `'open sesame'`, want: `"open sesame"`},
		{name: "text with the other quote", text: `"it's"`, want: `"it's"`},
		{name: "escapes", text: `'a\n\t\\\'\x41\u2603\U0001f600'`, want: `"a\n\t\\'A☃😀"`},
		{name: "characters", text: `'Grüße'`, want: `"Grüße"`},
		{name: "map", text: `{'a': 1, 'b': [True, False, None], 3: -1.5e3}`, want: `{"a":1,"b":[true,false,null],"3":-1.5e3}`},
		{name: "tuple", text: `(1, 'x',)`, want: `[1,"x"]`},
		{name: "empty", text: `{'a': {}, 'b': []}`, want: `{"a":{},"b":[]}`},
		{name: "no end", text: `'open`},
		{name: "more", text: `'a' 'b'`},
		{name: "code", text: `__import__('os')`},
		{name: "nothing", text: ``},
		{name: "no comma", text: `[1 2]`},
		{name: "bad escape", text: `'\xzz'`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := parseLiteral(test.text)
			if test.want == "" {
				if err == nil {
					t.Errorf("it is %s", v.JSON())
				}
				return
			}
			if err != nil || string(v.JSON()) != test.want {
				t.Errorf("%v, want %s: %v", v, test.want, err)
			}
		})
	}
}

func FuzzParseLiteral(f *testing.F) {
	f.Add(`{'a': [1, "b", None]}`)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseLiteral(text) })
}
