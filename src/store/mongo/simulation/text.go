package simulation

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// describe says in a few words what a record is.
func describe(r *protocol.Record) string {
	text := string(r.ID)
	if r.Doc != nil {
		text += fmt.Sprintf("@%s", r.Doc.ETag().Version())
	}
	if len(r.Strong) > 0 {
		text += " -> " + join(r.Strong)
	}
	if r.Intent != nil {
		text += " " + describeIntent(r.Intent)
	}
	return text
}

func describeIntent(m *protocol.Intent) string {
	text := "[" + string(m.Op) + " by " + m.Txn
	for _, flag := range []struct {
		on   bool
		name string
	}{{m.Multi, "multi"}, {m.LockOnly, "keep"}, {m.Exclusive, "shut"}} {
		if flag.on {
			text += " " + flag.name
		}
	}
	return text + "]"
}

// explain says in a few words what a change does.
func explain(c protocol.Change) string {
	condition := " if at " + c.Version.Version()
	if c.IntentTxn != "" {
		condition = " if it has an intent of " + c.IntentTxn
	}
	if !c.Before.IsZero() {
		condition += ", in time"
	}
	switch {
	case c.Remove:
		return "remove " + string(c.ID) + condition
	case c.Intent != nil:
		return "set an intent on " + string(c.ID) + " " + describeIntent(c.Intent) + condition
	case c.Doc != nil:
		return fmt.Sprintf("write %s@%s%s", c.ID, c.Doc.ETag().Version(), condition)
	}
	return "remove the intent of " + string(c.ID) + condition
}

func join(ids []dovetail.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}

func lost() error {
	return &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the answer is lost"}
}

func refused() error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the server cannot be reached"}
}
