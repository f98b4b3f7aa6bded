package override_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/dovetail-store/dovetail/src/api"
	rest "github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
	"github.com/dovetail-store/dovetail/src/override"
)

// TestProgressOfImpacts: a client sees the progress of an impact, and gets the same answer as without it, for all environments however long that takes.
func TestProgressOfImpacts(t *testing.T) {
	const environments = 50
	var slow atomic.Bool // a calculation waits until its client has gone
	gone := make(chan struct{})
	repository := func(documents []*dovetail.Document) (fs.FS, []*dovetail.Error, error) {
		if slow.Load() {
			<-gone
		}
		return repositoryOf(documents)
	}
	url := serve(t, newStore(t, apitest.OpenBolt(t), sharedFiles(environments, func(int) bool { return true })), override.Options{Repository: repository, ImpactTime: 1})
	c, err := rest.New(url, rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	draft := api.SetDraft{ParamSet: json.RawMessage(`{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"debug","OLD":1}}`)}
	hurried, err := c.SetImpact(t.Context(), draft, 1000)
	if err != nil || hurried.Unmeasured != environments {
		t.Fatalf("without time %+v, %v", hurried, err)
	}
	var told []api.SetProgress
	whole, err := c.WholeSetImpact(t.Context(), draft, 1000, func(p api.SetProgress) { told = append(told, p) })
	if err != nil || whole.Changed != environments || whole.Unmeasured != 0 || whole.Basis != "calculation" {
		t.Fatalf("%+v, %v", whole, err)
	}
	for i, p := range told {
		if p.Environments != environments || i == 0 && p.Examined != 0 || i > 0 && p.Examined <= told[i-1].Examined || p.Changed != p.Examined || p.Differences != p.Examined {
			t.Errorf("told %+v", told)
			break
		}
	}
	if len(told) < 4 || told[len(told)-1].Examined != environments {
		t.Errorf("told %+v", told)
	}
	patient, err := rest.New(serve(t, newStore(t, apitest.OpenBolt(t), sharedFiles(environments, func(int) bool { return true })), override.Options{Repository: repositoryOf}), rest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if alike, err := patient.SetImpact(t.Context(), draft, 1000); err != nil || !reflect.DeepEqual(alike, whole) {
		t.Errorf("without progress %+v, %v", alike, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	defer cancel()
	other := api.SetDraft{ParamSet: json.RawMessage(`{"name":"common","location":"environments/parameters","parameters":{"LEVEL":"trace","OLD":1}}`)}
	slow.Store(true)
	if _, err := c.WholeSetImpact(ended, other, 1000, func(api.SetProgress) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("of one that has gone: %v", err)
	}
	close(gone)
	wrong := api.SetDraft{ParamSet: json.RawMessage(`{"name":"common","location":"nowhere","parameters":{}}`)}
	if _, err := c.WholeSetImpact(t.Context(), wrong, 1000, func(api.SetProgress) {}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("of what is no draft: %v", err)
	}
}
