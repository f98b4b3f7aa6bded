package bolt

import (
	"os"

	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// probeSize is how much space there must be again before a store whose disk was full is well: small writes may fit
// into what the log took before.
const probeSize = 1 << 20

// probe reports whether there is space again, by a file beside the store's that goes again.
func probe(path string) error {
	name := path + "-probe"
	defer os.Remove(name)
	if err := os.WriteFile(name, make([]byte, probeSize), 0o600); err != nil {
		return kv.NotWritten(err)
	}
	return nil
}
