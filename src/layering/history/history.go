// Package history is what another system recorded of layered documents: revisions with their numbers and times, tags and
// validations, to be taken over.
//
// It is pure.
package history

import (
	"time"

	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// History is all revisions, and the buckets that there ever were.
type History struct {
	Buckets   []Bucket
	Revisions []Revision // by their numbers, which may have gaps
}

// Bucket is documents that were put together.
type Bucket struct {
	Name    string
	Created time.Time
}

// Revision is what one write did, and what was said of it later.
type Revision struct {
	Number  int
	Created time.Time
	Rows    []Row // by their numbers
	Tags    []Tag // each name once
	Reports []Report
}

// Row says that a revision wrote a document, or took it away.
type Row struct {
	Number   int // counts the rows of all revisions
	ID       rendering.ID
	Bucket   string
	Since    int                 // the revision that the content came with
	Document *rendering.Document // nil where it is taken away
	Content  string              // equal for rows of one document with equal content
	Created  time.Time
}

// Tag is a name for a revision.
type Tag struct {
	Name    string
	Data    *value.Value // a map
	Created time.Time
}

// Report is what a validation found at one time; those of one name come in order.
type Report struct {
	Name    string
	Result  *value.Value // with status, validator and errors
	Created time.Time
}

// State is the documents of a revision.
type State struct {
	*Revision
	Live map[rendering.ID]*Row // of each document the row that counts
}

// States yields the revisions with their documents, in order. Live is that of one step only.
func (h *History) States(yield func(State) bool) {
	live := make(map[rendering.ID]*Row)
	for i := range h.Revisions {
		of := &h.Revisions[i]
		for j := range of.Rows {
			if row := &of.Rows[j]; row.Document != nil {
				live[row.ID] = row
			} else {
				delete(live, row.ID)
			}
		}
		if !yield(State{of, live}) {
			return
		}
	}
}
