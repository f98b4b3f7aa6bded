package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/bolt/kv"
)

// examineChanges looks at an entry of the change log: it can be read, lies within the bounds of the log, and has a successor unless it is
// the last.
func examineChanges(v *kv.View, key, value []byte) []defect {
	if len(key) != len(sequenceKey(0)) {
		return damagedEntry("an entry of the change log has no position")
	}
	sequence := binary.BigEndian.Uint64(key)
	bounds, err := readBounds(v)
	if _, ok := decodeChanges(value); !ok {
		return damagedEntry(fmt.Sprintf("the commit %d cannot be read in the change log", sequence))
	}
	switch {
	case err != nil:
		return nil // examineBounds tells
	case sequence < bounds.first, sequence > bounds.last:
		return damagedEntry(fmt.Sprintf("the commit %d is outside of the change log, which is from %d to %d", sequence, bounds.first, bounds.last))
	case sequence < bounds.last && v.Get(changes, sequenceKey(sequence+1)) == nil:
		return damagedEntry(fmt.Sprintf("the commit %d is missing in the change log", sequence+1))
	}
	return nil
}

// examineBounds looks at the bounds of the change log: they can be read, and both ends are there.
func examineBounds(v *kv.View, key, _ []byte) []defect {
	if !bytes.Equal(key, logKey) {
		return nil
	}
	bounds, err := readBounds(v)
	if err != nil {
		return damagedEntry(err.Error())
	}
	for _, end := range []uint64{bounds.first, bounds.last} {
		if bounds.first <= bounds.last && v.Get(changes, sequenceKey(end)) == nil {
			return damagedEntry(fmt.Sprintf("the change log is from commit %d to %d, but %d is missing", bounds.first, bounds.last, end))
		}
	}
	return nil
}

func damagedEntry(message string) []defect {
	return []defect{{finding: store.Finding{Problem: logDamaged, Message: message}}}
}
