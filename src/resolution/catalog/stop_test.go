package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/value"
)

func TestImportEndsWithItsCharge(t *testing.T) {
	gone := errors.New("gone")
	const described = `{"schema":"olm.package","name":"p"}` + "\n" + `{"schema":"olm.bundle","package":"p","name":"p.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}` + "\n"
	entries := func(entry string) string {
		return described + `{"schema":"olm.channel","package":"p","name":"c","entries":[` + strings.Repeat(entry+",", 2000) + entry + `]}`
	}
	tests := []struct{ name, text string }{
		{name: "documents", text: described + strings.Repeat(`{"schema":"other"}`+"\n", 2000)},
		{name: "entries", text: entries(`{"name":"p.v1.0.0"}`)},
		{name: "skips", text: described + `{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1.0.0","skips":["` +
			strings.Repeat(`p.v2.0.0","`, 2000) + `"]}]}`},
		{name: "deprecations", text: described + `{"schema":"olm.deprecations","package":"p","entries":[` + strings.Repeat(`{"reference":{"schema":"olm.package"}},`, 2000) +
			`{"reference":{"schema":"olm.package"}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			looked := 0 // calls that are about no new values
			limits := value.Limits{Charge: func(values int) error {
				if values == 0 {
					looked++
				}
				if looked > 3 {
					return gone
				}
				return nil
			}}
			_, _, err := catalog.ImportWithin(limits, "s", catalog.File{Name: "c.json", Data: []byte(tt.text)})
			if !errors.Is(err, gone) || looked != 4 {
				t.Errorf("%v after %d calls", err, looked)
			}
			looked = 0
			if _, _, _, err = catalog.ImportSound(limits, "s", catalog.File{Name: "c.json", Data: []byte(tt.text)}); !errors.Is(err, gone) || looked != 4 {
				t.Errorf("of others: %v after %d calls", err, looked)
			}
		})
	}
}
