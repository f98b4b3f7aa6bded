package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// What only one document may have, a unique value or an exclusive reference to a target, is claimed: there is an internal
// document whose id follows from the constraint and the value, and which says who holds it. A document and its claims are written in one transaction, so a
// backend that does not create an id twice lets exactly one of competing writers have a value.
//
// A document holds the claims that follow from its data, no others, and the claims of a stored document are there. So a
// transaction that expects a version of the document need not look at the claims that it gives up or passes on: only
// what it adds must be absent. Claims are derived: they are in no backup and have no history.
const (
	claimKind   = "_claim"
	claimPrefix = claimKind + "/"
)

// ReasonNotUnique is the reason of CodeConflict where another document has a value that is unique. BlockedBy has the other
// one where it may be read, and Position the path of the value.
const ReasonNotUnique = "NOT_UNIQUE"

// ReasonTaken is the reason of CodeConflict where another document has the only reference to a target that there may be.
// BlockedBy has the other one where it may be read, and Position the path of the slot.
const ReasonTaken = "TAKEN"

// maxClaims is how many claims a document may have.
const maxClaims = 1000

// claim is what a document has to itself.
type claim struct {
	id         dovetail.ID // of the internal document
	constraint string      // says which constraint of which kind it is, and how ids are made from its values
	path       string      // JSON Pointer of the value, or of the slot
	unique     *schema.Unique
	scope      dovetail.ID // the ancestor within which the value is unique
	target     dovetail.ID // of an exclusive reference; then unique is nil
}

// keyed ends the constraint of claims on sensitive data.
const keyed = ", keyed"

// storedClaim is the data of the internal document of a claim.
type storedClaim struct {
	Holder     dovetail.ID `json:"holder"`
	Constraint string      `json:"constraint"`
}

func isClaim(id dovetail.ID) bool { return strings.HasPrefix(string(id), claimPrefix) }

// claimOf reads the internal document of a claim.
func claimOf(doc *dovetail.Document) (c storedClaim, ok bool) {
	if doc == nil || doc.Kind != claimKind {
		return c, false
	}
	return c, json.Unmarshal(doc.Data, &c) == nil
}

// claimDocument is the internal document of a claim.
func (s *Store) claimDocument(c *claim, holder dovetail.ID, model *schema.Model, now time.Time) *dovetail.Document {
	data, err := json.Marshal(storedClaim{holder, c.constraint})
	if err != nil {
		panic(err) // of texts
	}
	return &dovetail.Document{ID: c.id, Kind: claimKind, Data: data, UID: s.config.NewUID(), Revision: 1, Created: now, Updated: now, Schema: model.Hash()}
}

// constrained reports whether documents of a kind hold claims.
func constrained(kind *schema.Kind) bool { return len(kind.Unique) > 0 || kind.Exclusive != "" }

// constrainedKind returns the kind of a document that holds claims, nil where it holds none.
func constrainedKind(model *schema.Model, id dovetail.ID) *schema.Kind {
	if kind, err := model.KindOf(id); err == nil && constrained(kind) {
		return kind
	}
	return nil
}

// constraintsOf returns what claims of a kind say of their constraints.
func constraintsOf(kind *schema.Kind) []string {
	var all []string
	for _, u := range kind.Unique {
		all = append(all, uniqueConstraint(kind, u))
	}
	if kind.Exclusive != "" {
		all = append(all, exclusiveConstraint(kind))
	}
	return all
}

func uniqueConstraint(kind *schema.Kind, u *schema.Unique) string {
	text := kind.Name + ": unique " + u.String()
	if kind.Sensitive.Any() {
		text += keyed
	}
	return text
}

// exclusiveConstraint is that of all exclusive rules of a kind: a target that one of them takes is taken for the others.
func exclusiveConstraint(kind *schema.Kind) string {
	return kind.Name + ": exclusive " + kind.Exclusive
}

// claims returns what a document of a kind has to itself by its data and its references, each claim once.
func (s *Store) claims(ctx context.Context, kind *schema.Kind, id dovetail.ID, data *value.Value, references []dovetail.Reference) ([]claim, error) {
	var all []claim
	for _, u := range kind.Unique {
		constraint, scope := uniqueConstraint(kind, u), u.Scope(id)
		for _, found := range u.Values(data) {
			digest, err := s.claimDigest(ctx, kind.Sensitive.Any())
			if err != nil {
				return nil, err
			}
			text := appendText(appendText(nil, constraint), string(scope))
			for _, v := range found.Values {
				text = appendCanonical(text, v)
			}
			_, _ = digest.Write(text) // never fails
			all = append(all, claim{id: claimPrefix + dovetail.ID(hex.EncodeToString(digest.Sum(nil))), constraint: constraint, path: found.Path, unique: u, scope: scope})
		}
	}
	if kind.Exclusive != "" {
		all = append(all, exclusiveClaims(kind, kind.Extract(id, data), references)...)
	}
	return distinctClaims(all), nil
}

// exclusiveClaims returns the claims on the targets of exclusive rules. Of those that a rule leaves to choose from, the one
// counts that is among the references. Ids are in plaintext, so that these claims need no key.
func exclusiveClaims(kind *schema.Kind, candidates []schema.Candidate, references []dovetail.Reference) []claim {
	var all []claim
	constraint := exclusiveConstraint(kind)
	for _, c := range candidates {
		if !c.Rule.Exclusive {
			continue
		}
		at := 0
		if len(c.Targets) > 1 {
			at = slices.IndexFunc(c.Targets, func(t dovetail.Reference) bool {
				return slices.ContainsFunc(references, func(r dovetail.Reference) bool { return r.ID == t.ID })
			})
		}
		if at >= 0 {
			target := c.Targets[at].ID
			all = append(all, claim{id: exclusiveID(constraint, target), constraint: constraint, path: c.Place, target: target})
		}
	}
	return all
}

func exclusiveID(constraint string, target dovetail.ID) dovetail.ID {
	sum := sha256.Sum256(appendText(appendText(nil, constraint), string(target)))
	return claimPrefix + dovetail.ID(hex.EncodeToString(sum[:]))
}

// name says what is claimed.
func (c *claim) name() string {
	if c.unique == nil {
		return "reference to " + string(c.target)
	}
	return c.unique.Names()
}

func distinctClaims(all []claim) []claim {
	if len(all) < 2 {
		return all
	}
	seen := make(map[dovetail.ID]bool, len(all))
	return slices.DeleteFunc(all, func(c claim) bool {
		twice := seen[c.id]
		seen[c.id] = true
		return twice
	})
}

// claimsOf returns the claims of a stored document. One whose data cannot be read has none.
func (s *Store) claimsOf(ctx context.Context, kind *schema.Kind, doc *dovetail.Document, charge func(values int) error) ([]claim, error) {
	data, err := value.DataOf(doc, charge)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeCorrupt:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return s.claims(ctx, kind, doc.ID, data, doc.References)
}

// claimDigest makes ids of values. For kinds with sensitive data it needs a key, so that values cannot be guessed.
func (s *Store) claimDigest(ctx context.Context, sensitive bool) (hash.Hash, error) {
	if !sensitive {
		return sha256.New(), nil
	}
	key, err := s.claimKey(ctx)
	if err != nil {
		return nil, err
	}
	return hmac.New(sha256.New, key), nil
}

func appendText(dst []byte, text string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// appendCanonical writes a value so that equal values, and no others, have the same text: 1 equals 1.0, and the order of
// members does not count.
func appendCanonical(dst []byte, v *value.Value) []byte {
	dst = append(dst, byte(v.Kind))
	switch v.Kind {
	case value.Number:
		return appendText(dst, canonicalNumber(v.Text))
	case value.List:
		dst = binary.AppendUvarint(dst, uint64(len(v.Items)))
		for _, item := range v.Items {
			dst = appendCanonical(dst, item)
		}
		return dst
	case value.Map:
		dst = binary.AppendUvarint(dst, uint64(len(v.Members)))
		for _, m := range slices.SortedFunc(slices.Values(v.Members), func(a, b value.Member) int { return strings.Compare(a.Name, b.Name) }) {
			dst = appendCanonical(appendText(dst, m.Name), m.Value)
		}
		return dst
	}
	return appendText(dst, v.Text)
}

// canonicalNumber writes a JSON number as its digits and the power of ten that they count.
func canonicalNumber(text string) string {
	digits, negative := strings.CutPrefix(text, "-")
	power := 0
	if e := strings.IndexAny(digits, "eE"); e >= 0 {
		power, _ = strconv.Atoi(digits[e+1:]) // in the limits of value.MaxExponent
		digits = digits[:e]
	}
	if whole, fraction, found := strings.Cut(digits, "."); found {
		digits, power = whole+fraction, power-len(fraction)
	}
	short := strings.TrimRight(digits, "0")
	power += len(digits) - len(short)
	if short = strings.TrimLeft(short, "0"); short == "" {
		return "0"
	}
	if negative {
		short = "-" + short
	}
	return short + "e" + strconv.Itoa(power)
}
