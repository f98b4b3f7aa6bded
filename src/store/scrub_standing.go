package store

import (
	"context"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Standing is what the last scrub found and is still so.
type Standing struct {
	Scrubbed time.Time `json:"scrubbed"` // when the scrub ended
	Findings []Finding `json:"findings"`
	Partial  bool      `json:"partial,omitempty"` // the scrub found more than is kept
}

// ofDocument are the problems that a look at the document itself confirms. The others are of indexes and of several documents at once:
// they stand until the next scrub.
var ofDocument = []string{
	ProblemUnknownKind, ProblemUnreadable, ProblemDanglingParent, ProblemDanglingReference, ProblemWrongReferences, ProblemInvalidData,
	ProblemBrokenRule, ProblemUnknownState,
}

// Standing returns what the last scrub found of the documents that the principal of the context may read, and that no write has repaired
// since; nil before the first scrub. What is wrong with indexes, and with documents of kinds that the schema does not have, is for those who
// may read everything.
func (s *Store) Standing(ctx context.Context) (*Standing, error) {
	last, err := s.LastScrub(ctx)
	if err != nil || last == nil {
		return nil, err
	}
	visible := s.visibleFindings(ctx, last.Findings)
	var suspects []Finding
	kept := []Finding{}
	for _, f := range visible {
		if slices.Contains(ofDocument, f.Problem) && f.ID != "" {
			suspects = append(suspects, f)
		} else {
			kept = append(kept, f)
		}
	}
	check, err := s.checkStored(ctx)
	if err != nil {
		return nil, err
	}
	confirmed, err := s.confirmed(ctx, suspects, check)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeCorrupt: // one that cannot be read is no reason to be silent about the others
		confirmed = suspects
	case err != nil:
		return nil, err
	}
	return &Standing{Scrubbed: last.Ended, Findings: s.withoutSecrets(append(kept, confirmed...)), Partial: last.Total > len(last.Findings)}, nil
}

// visibleFindings returns the findings of documents that the principal of the context may read, and names no others in them.
func (s *Store) visibleFindings(ctx context.Context, findings []Finding) []Finding {
	reads := s.Readable(ctx)
	if reads == nil {
		return findings
	}
	may := func(id dovetail.ID) bool {
		kind, err := s.Model().KindOf(id)
		return err == nil && reads(kind.Name, id)
	}
	var visible []Finding
	for _, f := range findings {
		if !may(f.ID) {
			continue
		}
		if f.Problem == ProblemNotUnique && !may(f.Other) {
			f.Other, f.Message = "", string(f.ID)+": another document has the same unique values"
		}
		visible = append(visible, f)
	}
	return visible
}

// withoutSecrets takes out of the findings what quotes the data of sensitive kinds.
func (s *Store) withoutSecrets(findings []Finding) []Finding {
	for i, f := range findings {
		kind, err := s.Model().KindOf(f.ID)
		if err == nil && kind.Sensitive.Any() && (f.Problem == ProblemInvalidData || f.Problem == ProblemBrokenRule) {
			findings[i].Message = string(f.ID) + ": what is wrong is secret, see `dovetail fsck`"
		}
	}
	return findings
}
