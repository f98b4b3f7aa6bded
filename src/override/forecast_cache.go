package override

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// Feed tells what has changed. Documents that have one are not read again for an impact that is asked for again. *store.Store is one; its methods are described there.
type Feed interface {
	CatchUp(ctx context.Context, from store.Cursor, see func(store.Change)) (store.Cursor, error)
	Covers(ctx context.Context, ids ...dovetail.ID) error
	RecordsReads() bool
}

// maxForecasts is for how many pairs of a draft and an environment it is known which impact counts.
const maxForecasts = 60_000

// forecasts are the keys of impacts by drafts and environments, each of which counts until a document that it was made from changes. The zero value is ready to use.
type forecasts struct {
	mu   sync.Mutex
	at   store.Cursor
	kept map[inventory.Environment]map[draftDigest]forecastOf
	size int
	// moment counts the changes that were seen. An environment, and all of them, changed last at these moments: what was read earlier is not kept.
	moment  uint64
	changed map[inventory.Environment]uint64
	all     uint64
}

// draftDigest is a digest of a draft.
type draftDigest [sha256.Size]byte

// forecastOf is what a draft does to one environment.
type forecastOf struct {
	reached bool
	key     impactKey
	// shared are the documents outside of the environment that it was made from, which need not exist.
	shared []dovetail.ID
}

// standing is what of earlier forecasts still counts for one request. Nil is nothing.
type standing struct {
	all    *forecasts
	feed   Feed
	draft  draftDigest
	moment uint64
}

// digest returns a digest of all that is not read for each environment.
func (d *draftParamSet) digest() (digest draftDigest, err error) {
	type usedBy struct {
		Environment inventory.Environment
		Context     parameters.Context
		Object      string
		Order       int
	}
	uses := make([]usedBy, len(d.uses))
	for i, u := range d.uses {
		uses[i] = usedBy{u.environment, u.context, u.object, u.order}
	}
	h := sha256.New()
	err = json.NewEncoder(h).Encode([]any{d.id, d.stored, d.drafted, uses})
	h.Sum(digest[:0])
	return digest, err
}

// standing brings what is kept up to the present. It is nil where documents have no feed, where each read of a document is recorded, and where the feed fails: all is
// read again then.
func (o *Overrides) standing(ctx context.Context, d *draftParamSet) *standing {
	var documents any = o.documents
	if s, is := documents.(Stored); is {
		documents = s.Store
	}
	feed, ok := documents.(Feed)
	if !ok || feed.RecordsReads() || d.alone {
		return nil
	}
	digest, err := d.digest()
	if err != nil {
		return nil
	}
	o.forecasts.mu.Lock()
	defer o.forecasts.mu.Unlock()
	if o.forecasts.catchUp(ctx, feed) != nil {
		return nil
	}
	return &standing{&o.forecasts, feed, digest, o.forecasts.moment}
}

// catchUp drops what is made from documents that have changed.
func (f *forecasts) catchUp(ctx context.Context, feed Feed) error {
	at, err := feed.CatchUp(ctx, f.at, f.drop)
	if code := dovetail.CodeOf(err); code == dovetail.CodeExpired || code == dovetail.CodeInvalid {
		f.dropAll()
		at, err = feed.CatchUp(ctx, "", f.drop)
	}
	if err != nil {
		f.dropAll()
		f.at = ""
		return err
	}
	f.at = at
	return nil
}

func (f *forecasts) dropAll() {
	f.moment++
	f.all, f.kept, f.changed, f.size = f.moment, nil, nil, 0
}

// drop drops what is made from one document.
func (f *forecasts) drop(c store.Change) {
	if store.IsInternal(c.ID) {
		return
	}
	f.moment++
	if e, ok := environmentAround(c.ID); ok {
		if f.changed == nil {
			f.changed = make(map[inventory.Environment]uint64)
		}
		if f.changed[e] = f.moment; len(f.changed) > maxForecasts {
			f.dropAll()
			return
		}
		f.size -= len(f.kept[e])
		delete(f.kept, e)
		return
	}
	switch key := c.ID.Key(); key[len(key)-1].Name {
	case kindSiteParamSet, kindClusterParamSet, kindConfigurationFile:
		f.dropAll() // they change rarely, and are used by many
	}
}

// environmentAround is the environment that a document is, or is below of; false for others.
func environmentAround(id dovetail.ID) (inventory.Environment, bool) {
	key := id.Key()
	if len(key) < 2 || key[0].Name != kindCluster || key[1].Name != kindEnvironment {
		return inventory.Environment{}, false
	}
	return inventory.Environment{Cluster: key[0].Value, Name: key[1].Value}, true
}

// get returns what a draft does to an environment, if that is known and the principal may read all that it was made from.
func (s *standing) get(ctx context.Context, e inventory.Environment) (known forecastOf, ok bool) {
	if s == nil {
		return known, false
	}
	s.all.mu.Lock()
	known, ok = s.all.kept[e][s.draft]
	s.all.mu.Unlock()
	if !ok || s.feed.Covers(ctx, e.ID()) != nil || s.feed.Covers(ctx, known.shared...) != nil {
		return known, false
	}
	return known, true
}

// put keeps what a draft does to an environment, unless a document that it may be made from has changed since the request began.
func (s *standing) put(e inventory.Environment, made forecastOf) {
	if s == nil {
		return
	}
	f := s.all
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all > s.moment || f.changed[e] > s.moment {
		return
	}
	if f.kept == nil {
		f.kept = make(map[inventory.Environment]map[draftDigest]forecastOf)
	}
	for other := range f.kept {
		if f.size < maxForecasts {
			break
		}
		f.size -= len(f.kept[other])
		delete(f.kept, other)
	}
	of := f.kept[e]
	if of == nil {
		of = make(map[draftDigest]forecastOf, 1)
		f.kept[e] = of
	}
	if _, known := of[s.draft]; !known {
		f.size++
	}
	of[s.draft] = made
}
