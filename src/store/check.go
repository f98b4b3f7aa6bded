package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// The problems that Check finds in documents. Backends add their own for indexes.
const (
	ProblemUnknownKind       = "unknown-kind"       // the schema has no kind for the id, or another than is stored
	ProblemUnreadable        = "unreadable-data"    // the data is not a JSON object
	ProblemDanglingParent    = "dangling-parent"    // the parent does not exist
	ProblemDanglingReference = "dangling-reference" // a reference that is not weak leads nowhere
	ProblemWrongReferences   = "wrong-references"   // the references stored are not those of the data
	ProblemInvalidData       = "invalid-data"       // the data breaks the schema of its kind
	ProblemBrokenRule        = "broken-rule"        // the document breaks a rule of its kind
	ProblemUnknownState      = "unknown-state"      // the document is in a state that its kind does not have
	ProblemNotUnique         = "not-unique"         // another document has the same unique values, or the only reference to a target that there may be
	ProblemClaimMissing      = "claim-missing"      // nothing keeps other documents from taking a unique value
	ProblemClaimStale        = "claim-stale"        // a value counts as taken by a document that does not have it
	ProblemUnindexed         = "index-incomplete"   // selectors do not find the document by a value that is indexed
	ProblemSealed            = "sealed-data"        // encrypted data cannot be opened: the key is missing, or they are damaged
)

// Check recomputes everything that must hold from the documents alone: that each has a kind, its
// parent and the documents it refers to, that the backend's indexes say the same, and that services find their documents
// consistent. It yields a finding for each defect; repair repairs indexes, claims, and documents of services that follow from others, never
// the documents of users. The sequence ends after the first
// error. Documents written while it runs may give false findings.
func (s *Store) Check(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for f, err := range s.backend.Check(ctx, repair) {
			if !yield(f, err) || err != nil {
				return
			}
		}
		check, err := s.checkStored(ctx)
		if err != nil {
			yield(Finding{}, err)
			return
		}
		for f, err := range s.inspect(ctx, s.Model(), Query{}, check, standingRules) {
			if err == nil && repair && f.Problem == ProblemUnindexed {
				f.Repaired, err = s.repairTerms(ctx, f.ID)
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
		for _, findings := range []iter.Seq2[Finding, error]{s.checkClaims(ctx, repair), s.checkServices(ctx, repair)} {
			for f, err := range findings {
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// inspected is how many documents inspect holds at a time: their parents and references are looked
// up together.
const inspected = 500

// refCheck holds the references of a document against what its data makes of them: it returns what
// is wrong at first sight, and what must exist.
type refCheck func(s *Store, doc *dovetail.Document, candidates []schema.Candidate) ([]Finding, []link)

// inspect holds the documents that the query selects against a model.
func (s *Store) inspect(ctx context.Context, model *schema.Model, q Query, check refCheck, rules rulesOf) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		q.Limit = inspected
		for {
			var documents []*dovetail.Document
			seen := 0
			for doc, err := range s.backend.List(ctx, q) {
				switch {
				case err != nil && doc == nil:
					yield(Finding{}, err)
					return
				case err != nil && isInternal(doc.ID): // records that are forgotten in time
				case err != nil:
					if !yield(sealedFinding(doc, err), nil) {
						return
					}
				default:
					documents = append(documents, doc)
				}
				seen++
				q.After = doc.ID
			}
			if seen == 0 {
				return
			}
			documents = slices.DeleteFunc(documents, func(d *dovetail.Document) bool { return isInternal(d.ID) })
			findings, err := s.defects(ctx, model, documents, check, rules)
			if err != nil {
				yield(Finding{}, err)
				return
			}
			for _, f := range findings {
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// link is what must exist for a document: its parent, or one of the documents that a reference may mean.
type link struct {
	finding Finding // what it means if none of the targets exists
	targets []dovetail.ID
}

func (s *Store) defects(ctx context.Context, model *schema.Model, documents []*dovetail.Document, check refCheck, rules rulesOf) ([]Finding, error) {
	var findings []Finding
	var links []link
	var targets []dovetail.ID
	for _, doc := range documents {
		own, needs := s.examine(model, doc, check)
		findings = append(findings, own...)
		links = append(links, needs...)
		for _, n := range needs {
			targets = append(targets, n.targets...)
		}
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	stored, err := s.fetch(ctx, targets)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		if !slices.ContainsFunc(l.targets, func(id dovetail.ID) bool {
			n, _ := slices.BinarySearch(targets, id)
			return stored[n] != nil
		}) {
			findings = append(findings, l.finding)
		}
	}
	broken, err := s.brokenRules(ctx, model, documents, findings, rules)
	if err != nil {
		return nil, err
	}
	findings = append(findings, broken...)
	slices.SortStableFunc(findings, func(a, b Finding) int { return cmp.Compare(a.ID, b.ID) })
	return findings, nil
}

// examine returns what is wrong with a document by itself, and what must exist for it.
func (s *Store) examine(model *schema.Model, doc *dovetail.Document, check refCheck) (findings []Finding, needs []link) {
	found := func(problem, message string) {
		findings = append(findings, Finding{Problem: problem, ID: doc.ID, Message: string(doc.ID) + ": " + message})
	}
	kind, err := model.KindOf(doc.ID)
	switch {
	case err != nil:
		found(ProblemUnknownKind, dovetail.AsError(err).Message)
		return findings, nil
	case kind.Name != doc.Kind || kind.Abstract:
		found(ProblemUnknownKind, "it is stored as a "+doc.Kind+", but the schema does not know it as one")
		return findings, nil
	}
	if parent := kind.ParentID(doc.ID); parent != "" {
		needs = append(needs, link{Finding{Problem: ProblemDanglingParent, ID: doc.ID, Other: parent,
			Message: string(doc.ID) + ": its parent " + string(parent) + " does not exist"}, []dovetail.ID{parent}})
	}
	if state := storedState(doc); kind.Lifecycle != nil && state != "" && !kind.Lifecycle.Has(state) {
		found(ProblemUnknownState, "it is in the state "+state+", which a "+kind.Name+" does not have")
	}
	data, err := value.DataOf(doc, nil)
	if err != nil || data.Kind != value.Map {
		found(ProblemUnreadable, "the stored data is not a JSON object")
		return findings, needs
	}
	violations := kind.Validate(data)
	for _, violation := range violations.Kept() {
		found(ProblemInvalidData, (&dovetail.Error{Position: dovetail.Position{Path: violation.Position.Path}, Message: violation.Message}).Error())
	}
	if more := violations.Omitted(); more > 0 {
		found(ProblemInvalidData, fmt.Sprintf("%d more values break the schema of %s", more, kind.Name))
	}
	wrong, links := check(s, doc, kind.Extract(doc.ID, data))
	return append(findings, wrong...), append(needs, links...)
}

// checkReferences is the refCheck of stored documents as they are: the references stored are those
// of the data, and lead somewhere.
func (s *Store) checkReferences(doc *dovetail.Document, candidates []schema.Candidate) (findings []Finding, needs []link) {
	if !s.referencesMatch(candidates, doc.References) {
		findings = append(findings, Finding{Problem: ProblemWrongReferences, ID: doc.ID,
			Message: string(doc.ID) + ": the references stored are not those that its data makes"})
		for _, c := range candidates { // such as one that was imported although it dangles
			held := slices.ContainsFunc(doc.References, func(ref dovetail.Reference) bool { return ref.ID == c.Targets[0].ID && !ref.Weak })
			if len(c.Targets) == 1 && !held && !c.Rule.Weak && !s.config.WeakReferences {
				needs = append(needs, danglingLink(doc.ID, c.Targets[0].ID))
			}
		}
	}
	for _, ref := range doc.References {
		if !ref.Weak {
			needs = append(needs, danglingLink(doc.ID, ref.ID))
		}
	}
	return findings, needs
}

func danglingLink(from dovetail.ID, targets ...dovetail.ID) link {
	var names []string
	for _, t := range targets {
		names = append(names, string(t))
	}
	return link{Finding{Problem: ProblemDanglingReference, ID: from, Other: targets[0],
		Message: string(from) + ": it refers to " + strings.Join(names, " or ") + ", which does not exist"}, targets}
}

// referencesMatch reports whether the stored references are what the candidates make: one for each candidate, of
// its targets, and none besides.
func (s *Store) referencesMatch(candidates []schema.Candidate, stored []dovetail.Reference) bool {
	var wanted []dovetail.Reference
	places := positionsOf(len(candidates))
	have := make(map[dovetail.ID]bool, len(stored))
	for _, r := range stored {
		have[r.ID] = true
	}
	for _, c := range candidates {
		at := slices.IndexFunc(c.Targets, func(t dovetail.Reference) bool { return have[t.ID] })
		if at < 0 {
			return false
		}
		ref := c.Targets[at]
		ref.Weak = s.config.WeakReferences || c.Rule.Weak
		wanted = addReference(wanted, places, ref)
	}
	return slices.Equal(wanted, stored)
}

// sealedFinding says that a document could not be opened.
func sealedFinding(doc *dovetail.Document, err error) Finding {
	e := dovetail.AsError(err)
	message := e.Message
	if e.Remedy != "" {
		message += "; " + e.Remedy
	}
	return Finding{Problem: ProblemSealed, ID: doc.ID, Message: message}
}
