package override

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
)

// The bounds of what is kept of impacts: results, differences, problems and findings in all of them, and in one.
const (
	maxKeptImpacts = 30_000
	maxKeptItems   = 500_000
	maxItemsOfOne  = 1_000
)

// keptImpacts are what changes do to environments, each of which counts as long as what it was calculated from has not changed. The zero value is ready to use.
type keptImpacts struct {
	mu    sync.Mutex
	kept  map[impactKey]keptImpact
	items int
}

// impactKey is what an impact depends on, except SBOMs: the documents of the environment with their versions, and what is laid over them.
type impactKey struct {
	environment inventory.Environment
	of          [sha256.Size]byte
}

type keptImpact struct {
	impact *effectiveset.EnvironmentImpact
	sboms  map[string][sha256.Size]byte
}

// get returns an impact that still counts; nil if there is none.
func (k *keptImpacts) get(key impactKey, sboms *effectiveset.SBOMs) *effectiveset.EnvironmentImpact {
	k.mu.Lock()
	found, known := k.kept[key]
	k.mu.Unlock()
	if !known || !sboms.Unchanged(found.sboms) {
		return nil
	}
	return found.impact
}

// put keeps an impact, in the place of any others when there are too many.
func (k *keptImpacts) put(key impactKey, one *effectiveset.EnvironmentImpact, sboms *effectiveset.SBOMs) {
	if one.Total > maxItemsOfOne {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil {
		k.kept = make(map[impactKey]keptImpact)
	}
	k.remove(key)
	for other := range k.kept {
		if len(k.kept) < maxKeptImpacts && k.items+one.Total <= maxKeptItems {
			break
		}
		k.remove(other)
	}
	k.kept[key] = keptImpact{one, sboms.Read}
	k.items += one.Total
}

func (k *keptImpacts) remove(key impactKey) {
	if old, known := k.kept[key]; known {
		k.items -= old.impact.Total
		delete(k.kept, key)
	}
}

// keyOf is the key of what overlays do to an environment with these documents.
func keyOf(e inventory.Environment, documents []*dovetail.Document, was, is []effectiveset.Overlay, left []effectiveset.Finding) (impactKey, error) {
	h := sha256.New()
	from := versionsOf(documents, "")
	h.Write(from[:])
	err := json.NewEncoder(h).Encode([]any{was, is, left})
	key := impactKey{environment: e}
	h.Sum(key.of[:0])
	return key, err
}
