package layering

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

// The parameters that choose documents of a revision.
const (
	paramSchema   = "schema"
	paramName     = "metadata.name"
	paramLabel    = "metadata.label"
	paramLayer    = "metadata.layeringDefinition.layer"
	paramAbstract = "metadata.layeringDefinition.abstract"
	paramBucket   = "status.bucket"
	paramSort     = "sort"
	paramOrder    = "order"
	paramLimit    = "limit"
	paramContinue = "continue"

	paramCleartext = "cleartext-secrets"
)

// chosen is a document that may be in an answer.
type chosen struct {
	Raw
	content string                            // its name
	data    func(cleartext bool) *value.Value // the whole document

	rendered *rendering.Rendered // nil for raw documents
}

// selector chooses, sorts and cuts documents for an answer. next is the token of the next part, "" when there is none.
type selector interface {
	apply(all []chosen, of string) (part []chosen, next string)
}

// selection says which documents to answer, and how.
type selection struct {
	query  url.Values
	labels [][2]string
	keys   []string // of sort
	desc   bool
	limit  int // 0 for all
	skip   int
}

// readSelection reads the parameters. of names what the documents are of, so that a continue token of another
// list is refused. The error has the class ClassInvalidParam.
func readSelection(query url.Values, of string) (selector, error) {
	s := &selection{query: query, desc: query.Get(paramOrder) == "desc"}
	for _, text := range query[paramLabel] {
		for _, label := range strings.Split(text, ",") {
			name, to, is := strings.Cut(label, "=")
			if !is {
				return nil, badParam(paramLabel, label, "write name=value")
			}
			s.labels = append(s.labels, [2]string{name, to})
		}
	}
	for _, text := range query[paramSort] {
		for _, key := range strings.Split(text, ",") {
			if sortKey(key) == nil {
				return nil, badParam(paramSort, key, "sort by "+strings.Join(sortKeys, ", "))
			}
			s.keys = append(s.keys, key)
		}
	}
	var err error
	if text := query.Get(paramLimit); text != "" {
		if s.limit, err = strconv.Atoi(text); err != nil || s.limit < 0 {
			return nil, badParam(paramLimit, text, "give a number")
		}
	}
	if token := query.Get(paramContinue); token != "" {
		list, at, _ := strings.Cut(token, ".")
		if s.skip, err = strconv.Atoi(at); err != nil || s.skip < 0 || list != s.list(of) {
			return nil, badParam(paramContinue, token, "give the token of the answer before, with the same other parameters")
		}
	}
	return s, nil
}

func badParam(name, text, remedy string) error {
	return &dovetail.Error{Code: dovetail.CodeInvalid, Reason: ClassInvalidParam, Message: "the parameter " + name + " is " + strconv.Quote(text), Remedy: remedy}
}

// list names the list that is answered in parts.
func (s *selection) list(of string) string {
	rest := url.Values{}
	for name, values := range s.query {
		if name != paramLimit && name != paramContinue {
			rest[name] = values
		}
	}
	sum := sha256.Sum256([]byte(of + "?" + rest.Encode()))
	return hex.EncodeToString(sum[:6])
}

// apply chooses, sorts and cuts. next is the token of the next part, "" when there is none.
func (s *selection) apply(all []chosen, of string) (part []chosen, next string) {
	part = slices.DeleteFunc(all, func(c chosen) bool { return !s.fits(c) })
	slices.SortStableFunc(part, s.compare)
	part = part[min(s.skip, len(part)):]
	if s.limit > 0 && len(part) > s.limit {
		part, next = part[:s.limit], s.list(of)+"."+strconv.Itoa(s.skip+s.limit)
	}
	return part, next
}

func (s *selection) fits(c chosen) bool {
	is := func(name, text string) bool {
		wanted, given := s.query[name]
		return !given || slices.Contains(wanted, text)
	}
	for _, label := range s.labels {
		if to, has := c.Labels().Get(label[0]).Str(); !has || to != label[1] {
			return false
		}
	}
	return is(paramName, c.Name) && is(paramLayer, c.Layer) && is(paramBucket, c.Bucket) &&
		is(paramAbstract, strconv.FormatBool(c.Abstract)) && s.fitsSchema(c.Schema)
}

// fitsSchema compares the parts of a schema that are given: example is all of example/Kind/v1, exam is nothing.
func (s *selection) fitsSchema(schema string) bool {
	wanted, given := s.query[paramSchema]
	return !given || slices.ContainsFunc(wanted, func(w string) bool { return schema == w || strings.HasPrefix(schema, w+"/") })
}

var sortKeys = []string{paramSchema, paramName, paramLayer, paramBucket, "status.revision"}

// sortKey returns how to compare by a key; nil when there is no such key.
func sortKey(name string) func(a, b chosen) int {
	switch name {
	case paramSchema:
		return func(a, b chosen) int { return cmp.Compare(a.Schema, b.Schema) }
	case paramName:
		return func(a, b chosen) int { return cmp.Compare(a.Name, b.Name) }
	case paramLayer:
		return func(a, b chosen) int { return cmp.Compare(a.Layer, b.Layer) }
	case paramBucket:
		return func(a, b chosen) int { return cmp.Compare(a.Bucket, b.Bucket) }
	case "status.revision":
		return func(a, b chosen) int { return cmp.Compare(a.Revision, b.Revision) }
	}
	return nil
}

func (s *selection) compare(a, b chosen) int {
	order := 0
	for _, key := range s.keys {
		if order = sortKey(key)(a, b); order != 0 {
			break
		}
	}
	if s.desc {
		return -order
	}
	return order
}
