package override_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/override/overridetest"
	"github.com/dovetail-store/dovetail/src/value"
)

// Whatever is sent is taken or refused for what it is; nothing is an error of the server.
func FuzzBodies(f *testing.F) {
	f.Add(`{"environmentId":"cluster-01/env-01","context":"deploy","namespaceName":"env-01-core","applicationName":"my-app","parameters":{"a":{"b":[null]}}}`)
	f.Add(`{"environmentId":"cluster-01/env-01","context":"runtime","parameters":{},"applications":[{"appName":"a"}]}`)
	f.Add(`{"name":"x","location":"environments/parameters","parameters":{},"associations":[{"environmentId":"cluster-01/env-01","associatedObject":"core","context":"deploy","order":0}]}`)
	f.Add(`{"environmentId":"/","context":1,"parameters":[],"applications":{}}`)
	f.Add(`[null]`)
	s := newStore(f, apitest.OpenBolt(f), overridetest.Inventory())
	endpoints := override.New(override.Stored{Store: s}, override.Options{Mode: override.ModeEffectiveSet}).Service().Endpoints
	f.Fuzz(func(t *testing.T, text string) {
		body, err := value.ParseJSON([]byte(text), value.Limits{})
		if err != nil {
			return
		}
		for _, e := range endpoints {
			if e.Body == nil {
				continue
			}
			call := &httpapi.Request{Path: map[string]string{"id": "none", "associationId": "none"}, Body: body, DryRun: true, IfExists: true}
			_, err := e.Handle(t.Context(), call)
			switch code := dovetail.CodeOf(err); code {
			case "", dovetail.CodeInvalid, dovetail.CodeUnprocessable, dovetail.CodeNotFound, dovetail.CodeExists, dovetail.CodeMissing:
			default:
				t.Fatalf("%s %s: %s: %v", e.Method, e.Path, code, err)
			}
		}
	})
}
