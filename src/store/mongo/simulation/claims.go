package simulation

import (
	"fmt"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A claim is a document of the store's own that says which document has a unique value: the id follows from the value, the data
// is the id of the holder. In scenarios a document has the value that its data is, unless that is an object.
const claimPrefix = "_claim/"

// valueOf returns the unique value of a document, "" if there is none.
func valueOf(doc *dovetail.Document) string {
	if strings.HasPrefix(string(doc.Data), "{") || strings.HasPrefix(string(doc.ID), claimPrefix) {
		return ""
	}
	return string(doc.Data)
}

// unclaimed looks for a value that two documents have, or that its document does not hold the claim of, and for a claim of what
// its holder does not have.
func (s state) unclaimed() string {
	for id, doc := range s {
		if value := valueOf(doc); value != "" {
			if claim := s[dovetail.ID(claimPrefix+value)]; claim == nil || string(claim.Data) != string(id) {
				return fmt.Sprintf("%s has %s without the claim", id, value)
			}
		}
		if value, is := strings.CutPrefix(string(id), claimPrefix); is {
			if holder := s[dovetail.ID(doc.Data)]; holder == nil || valueOf(holder) != value {
				return fmt.Sprintf("%s is held by %s, which does not have it", id, doc.Data)
			}
		}
	}
	return ""
}
