package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// refused are the findings about documents that a store refuses, found by storing all of them in a database of their own.
func (o *checkRepoOptions) refused(ctx context.Context, s *session, contents *instancerepo.Contents) ([]*dovetail.Error, error) {
	documents := contents.Documents()
	if len(documents) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "dovetail-check-*")
	if err != nil {
		return nil, unwritable(err)
	}
	defer os.RemoveAll(dir)
	db, err := s.Open(ctx, "bolt:"+filepath.Join(dir, "check.db"), OpenOptions{RefSchemas: o.schema})
	if err != nil {
		return nil, err
	}
	defer release(db)
	report := importReport{Effects: make(map[store.Effect]int)}
	err = (&importRepoOptions{}).apply(ctx, s, db, together(instancerepo.Plan(documents, nil, false)), &report)
	return report.defects, err
}

// together joins transactions: nothing stays of them, and each waits for the disk.
func together(batches []instancerepo.Batch) []instancerepo.Batch {
	const most = 2000
	var all []instancerepo.Batch
	for _, b := range batches {
		if last := len(all) - 1; last >= 0 && len(all[last].Puts)+len(b.Puts) <= most {
			all[last].Puts = append(all[last].Puts, b.Puts...)
			continue
		}
		all = append(all, b)
	}
	return all
}
