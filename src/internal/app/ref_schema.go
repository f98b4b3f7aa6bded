package app

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// startingModel returns the ref-schema to start under: that of the files, or, where they are refused, the one that the
// database was last written under, with the refusal. Without such a one the refusal is the error.
func (s *Server) startingModel(ctx context.Context) (model *schema.Model, refusal, err error) {
	model, err = readModel(s.config.RefSchemas)
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

// lastGood returns the ref-schema that the database was last written under, nil for none, with the refusal of the files.
func (s *Server) lastGood(ctx context.Context, refusal error) (*schema.Model, error) {
	model, err := store.StoredModel(ctx, s.backend)
	if err != nil { // the refusal says what there is to do
		return nil, refusal
	}
	return model, refusal
}

// followRefSchema learns of the ref-schemas that other processes put in force, and logs those that are not from the files, until the
// context ends.
func (s *Server) followRefSchema(ctx context.Context, resources *store.Store, files *reloader) {
	const every, soon = 10 * time.Second, time.Second
	was, wait := resources.Model().Hash(), every
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = every
		if changing, err := resources.FollowModel(ctx); changing || err != nil { // what cannot be read now is read by a write, too
			wait = soon
		}
		now := resources.Model().Hash()
		if now != was && files.replaced() {
			s.log.Warn("a migration or another process has put another ref-schema in force than that of the files: replace them before the next start", "hash", now, "dir", files.files())
		}
		was = now
	}
}

// isRefusal says whether files are no ref-schema that may come in force, rather than that there are none.
func isRefusal(err error) bool {
	return dovetail.CodeOf(err) == dovetail.CodeSchema && !errors.Is(err, fs.ErrNotExist)
}
