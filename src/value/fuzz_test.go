package value_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		smallDocument, `{"a":1,"a":2}`, `[1e400,-0.0,123456789012345678901234567890]`, `"\ud83d\ude00\ud800"`,
		"\uFEFF{}", "[[[[[[", "\"\xff\"", `{"a":{"b":[null,true,false,"",{}]}}`, `[1,]`, "{\"a\"\n:\t1\r\n}", `1e1001`, `"\u00`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := value.ParseJSON(data, value.Limits{Depth: 20, Values: 1000})
		if err != nil {
			e := dovetail.AsError(err)
			if e.Code != dovetail.CodeInvalid && e.Code != dovetail.CodeTooLarge {
				t.Fatalf("code %s", e.Code)
			}
			lines := bytes.Split(data, []byte("\n"))
			at := e.Position
			if at.Line < 1 || at.Line > len(lines) || at.Column < 1 || at.Column > len(lines[at.Line-1])+1 {
				t.Fatalf("%d:%d is not in %q", at.Line, at.Column, data)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is not valid", data)
		}
		text := v.JSON()
		again, err := value.ParseJSON(text, value.Limits{})
		if err != nil || !value.Equal(v, again) || !bytes.Equal(again.JSON(), text) {
			t.Fatalf("%q became %q, then %q, %v", data, text, again.JSON(), err)
		}
	})
}
