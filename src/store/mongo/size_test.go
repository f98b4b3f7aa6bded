package mongo

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// TestTransactionTooLarge is refused a transaction that does not fit into an entry of the log, by name, and nothing is left of it.
func TestTransactionTooLarge(t *testing.T) {
	var commands commandCount
	b, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: commands.note})
	must(t, err)
	defer b.Close()
	var txn store.Txn
	long := strings.Repeat("x", 800)
	for i := range 20_000 {
		txn.Puts = append(txn.Puts, doc(dovetail.ID(fmt.Sprintf("many/%s%05d", long, i)), 1))
	}
	commands.take()
	err = b.Commit(t.Context(), txn)
	if dovetail.CodeOf(err) != dovetail.CodeTooLarge || !strings.Contains(err.Error(), "20000 documents") {
		t.Errorf("it was answered %v", err)
	}
	if _, what := commands.take(); strings.Contains(what, "insert") || strings.Contains(what, "update") {
		t.Errorf("it wrote: %s", what)
	}
}
