package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// startingModel returns the ref-schema to start under: that of the files, or, where they are refused, the one that the
// database was last written under, with the refusal. Without such a one the refusal is the error.
func (s *Server) startingModel(ctx context.Context) (model *schema.Model, refusal, err error) {
	stored, err := store.StoredModel(ctx, s.backend)
	if err != nil {
		stored = nil // one that cannot be read adds nothing; the store says so when it is opened
	}
	model, err = s.config.refSchemas().compile(stored)
	if err == nil || !isRefusal(err) {
		return model, nil, err
	}
	model, refusal = s.lastGood(ctx, err)
	if model == nil {
		return nil, nil, err
	}
	return model, refusal, nil
}

// openStore opens the store under a ref-schema or, where that does not fit what is stored, under the last good one, with the
// refusal.
func (s *Server) openStore(ctx context.Context, model *schema.Model, config store.Config) (resources *store.Store, refusal, err error) {
	resources, err = store.Open(ctx, s.backend, model, config)
	if err == nil || !isRefusal(err) {
		return resources, nil, err
	}
	good, refusal := s.lastGood(ctx, err)
	if good == nil || good.Hash() == model.Hash() {
		return nil, nil, err
	}
	resources, err = store.Open(ctx, s.backend, nil, config)
	return resources, refusal, err
}

// lastGood returns the ref-schema that the database was last written under, nil if there is none, with the refusal of the files.
func (s *Server) lastGood(ctx context.Context, refusal error) (*schema.Model, error) {
	model, err := store.StoredModel(ctx, s.backend)
	if err != nil { // the refusal says what there is to do
		return nil, refusal
	}
	return model, refusal
}

// How often a process reads which ref-schema is in force: normally, while a change is announced, and while there are no requests.
const (
	followEvery = 10 * time.Second
	followSoon  = time.Second
	idleLook    = 10 * time.Minute
)

// refSchemaFollower follows the ref-schemas that other processes put in force, and logs those that are not from the files. While
// there are no requests it reads rarely, and the next request waits for a read.
type refSchemaFollower struct {
	resources interface {
		FollowModel(ctx context.Context) (changing bool, err error)
		Model() *schema.Model
	}
	files  *reloader
	log    *slog.Logger
	unused func() bool // nothing but requests needs the ref-schema at once
	open   atomic.Int64
	asked  atomic.Bool // there was a request since it looked last

	looking sync.Mutex
	looked  time.Time     // guarded by looking
	wait    time.Duration // until the next read; guarded by looking
	was     string        // the hash of the ref-schema; guarded by looking
}

// run looks until the context ends.
func (f *refSchemaFollower) run(ctx context.Context) {
	f.looking.Lock()
	f.was, f.looked, f.wait = f.resources.Model().Hash(), time.Now(), followEvery
	f.looking.Unlock()
	for wait := followEvery; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		used := f.asked.Swap(false) || f.open.Load() > 0 || !f.unused()
		f.looking.Lock()
		if used || f.wait == followSoon || time.Since(f.looked) >= idleLook {
			f.look(ctx)
		}
		wait = f.wait
		f.looking.Unlock()
	}
}

// look reads what is in force. The mutex is held.
func (f *refSchemaFollower) look(ctx context.Context) {
	f.looked, f.wait = time.Now(), followEvery
	if changing, err := f.resources.FollowModel(ctx); changing || err != nil { // what cannot be read now is read by a write, too
		f.wait = followSoon
	}
	now := f.resources.Model().Hash()
	if now != f.was && f.files.replaced() {
		f.log.Warn("a migration or another process has put another ref-schema in force than that of the files: replace them before the next start", "hash", now, "dir", f.files.files())
	}
	f.was = now
}

// over wraps a handler so that requests see the ref-schema in force, also after a long time without any.
func (f *refSchemaFollower) over(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.open.Add(1)
		defer f.open.Add(-1)
		f.asked.Store(true)
		if f.looking.TryLock() { // otherwise it is being looked
			if !f.looked.IsZero() && time.Since(f.looked) > followEvery+followSoon {
				ctx, cancel := context.WithTimeout(r.Context(), followSoon)
				f.look(ctx)
				cancel()
			}
			f.looking.Unlock()
		}
		inner.ServeHTTP(w, r)
	})
}

// isRefusal reports whether files are no ref-schema that may take effect, rather than that there are none.
func isRefusal(err error) bool {
	return dovetail.CodeOf(err) == dovetail.CodeSchema && !errors.Is(err, fs.ErrNotExist)
}
