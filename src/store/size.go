package store

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// DefaultMaxDocument is the default of Config.MaxDocument.
const DefaultMaxDocument = value.DefaultBytes

// checkSize refuses a state of a document that is larger than documents may be, for every API. What is stored
// already may stay as large as it is, or become smaller, so that documents can be changed that an older version accepted.
// An import restores documents as they were.
func (p *plan) checkSize(i int, st *step, next *dovetail.Document) {
	if st.op.restore != nil {
		return
	}
	what, limit, size := "the data and the files", p.store.config.MaxDocument, sizeOfData
	if st.op.Verb == PutStatus {
		what, size = "the status and the files", sizeOfStatus
	}
	if st.op.Verb == PutStatus || st.kind.Managed {
		limit = max(limit, DefaultMaxDocument) // services write these, of many requests
	}
	n := size(next)
	if n <= limit || st.current != nil && n <= size(st.current) {
		return
	}
	p.fail(i, &dovetail.Error{Code: dovetail.CodeTooLarge,
		Message: fmt.Sprintf("%s of %s have %d bytes, more than the %d that one document may have", what, st.op.ID, n, limit),
		Remedy:  "split it into several documents, or ask for a higher --max-body"})
}

func sizeOfData(doc *dovetail.Document) int { return len(doc.Data) + sizeOfFiles(doc) }

func sizeOfStatus(doc *dovetail.Document) int { return len(doc.Status) + sizeOfFiles(doc) }

func sizeOfFiles(doc *dovetail.Document) int {
	size := 0
	for _, f := range doc.Content {
		size += len(f.Data)
	}
	return size
}
