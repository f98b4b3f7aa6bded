package mongo

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// cascades has boxes of parts of pins, which all may refer to items.
const cascades = anyItem + `
  - name: box
    references:
      - name: item
  - name: part
    parent: box
    references:
      - name: item
  - name: pin
    parent: part
`

// TestCascadeTakesFewCommands plans and does cascades of several shapes. One command for each document, or for each parent, would be several
// times as many; a slow server makes some again. docs/mongodb.md has the limits of one of them.
func TestCascadeTakesFewCommands(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/mongodb.md")
	must(t, err)
	tests := []struct {
		name    string
		remove  dovetail.ID
		stored  func(add func(id dovetail.ID, item string))
		cascade int // documents
		// How many commands planning and doing it take at most.
		plan, done int
		documented string // what takes so many in docs/mongodb.md; "" if it is not there
	}{
		{name: "leaves below one parent", plan: 15, done: 65, remove: "box/root", cascade: 1000, stored: func(add func(dovetail.ID, string)) {
			add("box/root", "")
			for i := range 1000 {
				add(dovetail.ID(fmt.Sprintf("box/root/part/%d", i)), "")
			}
		}},
		{name: "many leaves below one parent", plan: 50, done: 400, remove: "box/root", cascade: 10_000, stored: func(add func(dovetail.ID, string)) {
			add("box/root", "")
			for i := range 10_000 {
				add(dovetail.ID(fmt.Sprintf("box/root/part/%d", i)), "")
			}
		}},
		{name: "leaves below scattered parents", documented: "300 such documents with 1,000 leaves", plan: 70, done: 120, remove: "item/first", cascade: 1300, stored: func(add func(dovetail.ID, string)) {
			for p := range 300 {
				box := dovetail.ID(fmt.Sprintf("box/%03d", p))
				add(box, "first")
				for c := range []int{4, 3, 3}[p%3] { // 1,000 in all
					add(box.Child("part", fmt.Sprint(c)), "")
				}
				for other := range 12 {
					add(box+dovetail.ID(fmt.Sprintf("-%d", other)), "")
				}
			}
		}},
		{name: "leaves below parents that are neighbors", plan: 160, done: 500, remove: "item/first", cascade: 11_000, stored: func(add func(dovetail.ID, string)) {
			for p := range 1000 {
				box := dovetail.ID(fmt.Sprintf("box/%d", p))
				add(box, "first")
				for c := range 10 {
					add(box.Child("part", fmt.Sprint(c)), "")
				}
			}
		}},
		{name: "referrers in three levels, and what is below them", plan: 110, done: 190, remove: "item/first", cascade: 2400, stored: func(add func(dovetail.ID, string)) {
			for i := range 600 {
				add(dovetail.ID(fmt.Sprintf("item/middle-%d", i)), "first")
				add(dovetail.ID(fmt.Sprintf("item/last-%d", i)), fmt.Sprintf("middle-%d", i))
				box := dovetail.ID(fmt.Sprintf("box/%d", i%20))
				if i < 20 {
					add(box, "")
				}
				part := box.Child("part", fmt.Sprint(i))
				add(part, fmt.Sprintf("last-%d", i))
				add(part.Child("pin", "1"), "")
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.documented != "" {
				if says := fmt.Sprintf("%s takes at most %d commands, and its plan at most %d", test.documented, test.done, test.plan); !strings.Contains(string(guide), says) {
					t.Errorf("docs/mongodb.md does not say: %s", says)
				}
			}
			var commands commandCount
			backend, err := Open(t.Context(), freshURI(t), Options{ExternalMaintenance: true, Command: commands.note,
				Protocol: protocol.Settings{Lease: time.Minute}}) // few heartbeats, however slow the machine is
			must(t, err)
			defer backend.Close()
			s, err := store.Open(t.Context(), backend, compileModel(t, cascades), store.Config{Agreement: store.Agreement{Lease: time.Hour}}) // no deletion is too late under it, and repeated
			must(t, err)
			operations := []store.Operation{{Verb: store.Create, ID: "item/first", Data: item("", "first", "")}}
			test.stored(func(id dovetail.ID, refers string) {
				operations = append(operations, store.Operation{Verb: store.Create, ID: id, Data: item("", "x", refers)})
			})
			for part := range slices.Chunk(operations, 5000) {
				_, err = s.Apply(t.Context(), part, store.Options{})
				must(t, err)
			}
			for _, most := range []int{test.plan, test.done} {
				dryRun := most == test.plan
				backend.runtime.Flush()
				commands.take()
				result, err := s.Apply(t.Context(), []store.Operation{{Verb: store.Delete, ID: test.remove, Cascade: true}}, store.Options{DryRun: dryRun})
				must(t, err)
				if n := len(result.Cascaded); n != test.cascade {
					t.Errorf("%d documents go along, not %d", n, test.cascade)
				}
				if n, what := commands.take(); n > most {
					t.Errorf("dry run %t: %d commands, want at most %d: %s", dryRun, n, most, what)
				}
			}
		})
	}
}
