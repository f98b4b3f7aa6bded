package bolt

import (
	"path/filepath"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/storetest"
)

const history = 1000

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Config{
		Open: func(t *testing.T) store.Backend {
			return mustOpen(t, filepath.Join(t.TempDir(), "store.db"), Options{History: history})
		},
		Reopen: func(t *testing.T, b store.Backend) store.Backend {
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			return mustOpen(t, b.(*Backend).path, Options{History: history})
		},
		Expire: func(t *testing.T, b store.Backend) {
			for range history {
				commit(t, b, store.Txn{Puts: []*dovetail.Document{{ID: "filler/f", Kind: "filler", UID: "u", Revision: 1}}})
			}
		},
		Corrupt: corruptIndexes,
	})
}
