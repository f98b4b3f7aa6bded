package override

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"io"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// mergedImpact makes what the sets of environments are calculated from, before documents change and after it.
type mergedImpact struct {
	was, is *Overrides
	changed map[dovetail.ID]bool
	kept    *keptImpacts
}

// mergedSide is what the set of an environment is calculated from on one side of a change.
type mergedSide struct {
	documents  []*dovetail.Document // nil if there is no environment
	associated []parameters.Associated
	spaces     []namespace
}

func sideOf(ctx context.Context, o *Overrides, e inventory.Environment) (side mergedSide, err error) {
	side.documents, err = o.calculatedFrom(ctx, e, "")
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return mergedSide{}, nil
	}
	if err != nil {
		return side, err
	}
	all, err := o.associations(ctx, e)
	if err != nil {
		return side, err
	}
	if side.associated, err = o.resolved(ctx, all, func(association) bool { return true }, "", nil); err != nil {
		return side, err
	}
	side.spaces, err = o.namespaces(ctx, e)
	return side, err
}

// pair is what the set of an environment is calculated from before and after; nil where the change does not reach it.
func (m *mergedImpact) pair(ctx context.Context, e inventory.Environment, sboms *effectiveset.SBOMs) (*effectiveset.Pair, error) {
	before, err := sideOf(ctx, m.was, e)
	if err != nil {
		return nil, err
	}
	after, err := sideOf(ctx, m.is, e)
	if err != nil {
		return nil, err
	}
	was, is, left := effectiveset.Overlaid(before.associated, after.associated, func(deployPostfix string) string {
		for _, side := range []mergedSide{after, before} {
			for _, ns := range side.spaces {
				if deployPostfix == ns.postfix() || deployPostfix == ns.folder {
					return ns.folder
				}
			}
		}
		return deployPostfix
	})
	key := impactKey{environment: e}
	h := sha256.New()
	same := m.hash(h, before.documents) == m.hash(h, after.documents)
	if err := json.NewEncoder(h).Encode([]any{was, is, left}); err != nil {
		return nil, err
	}
	h.Sum(key.of[:0])
	if same && len(was) == 0 && len(left) == 0 {
		return m.untouched(e), nil
	}
	if known := m.kept.get(key, sboms); known != nil {
		return &effectiveset.Pair{Known: known}, nil
	}
	pair := &effectiveset.Pair{Same: same, Found: left, Keep: func(one *effectiveset.EnvironmentImpact) { m.kept.put(key, one, sboms) }}
	input := func(of *Overrides, documents []*dovetail.Document) (*effectiveset.Input, error) {
		if documents == nil {
			return nil, nil
		}
		repository, unwritable, err := of.options.Repository(documents)
		pair.Unusable = append(pair.Unusable, unwritable...)
		return &effectiveset.Input{Repo: repository, Cluster: e.Cluster, Name: e.Name, SBOMs: sboms, Open: of.options.Open, OpenFile: of.options.OpenFile}, err
	}
	if pair.After, err = input(m.is, after.documents); err != nil {
		return nil, err
	}
	if same && pair.After != nil {
		one := *pair.After
		pair.Before = &one
	} else if pair.Before, err = input(m.was, before.documents); err != nil {
		return nil, err
	}
	for in, overlays := range map[*effectiveset.Input][]effectiveset.Overlay{pair.Before: was, pair.After: is} {
		if in != nil {
			in.Overlays = overlays
		}
	}
	return pair, nil
}

// untouched is that of an environment whose set is calculated from nothing that changes. That it stays as it is, is only said where something of the environment itself changes.
func (m *mergedImpact) untouched(e inventory.Environment) *effectiveset.Pair {
	for id := range m.changed {
		if id == e.ID() || id.IsDescendantOf(e.ID()) {
			return &effectiveset.Pair{Known: &effectiveset.EnvironmentImpact{Environment: e.String(), Compared: true}}
		}
	}
	return nil
}

// hash adds documents to a digest, and returns one of them alone: those that do not change by their versions, others by what they say.
func (m *mergedImpact) hash(to io.Writer, documents []*dovetail.Document) (digest [sha256.Size]byte) {
	h := sha256.New()
	for _, doc := range documents {
		h.Write([]byte(string(doc.ID) + "\x00"))
		if m.changed[doc.ID] {
			sum := sha256.Sum256(doc.Data)
			h.Write(sum[:])
			for _, c := range doc.Content {
				h.Write([]byte(c.Name + "\x00"))
				h.Write(c.Data)
			}
		} else {
			h.Write([]byte(doc.ETag().Version() + "\x00"))
		}
	}
	h.Sum(digest[:0])
	_, _ = to.Write(digest[:]) // a hash does not fail
	return digest
}
