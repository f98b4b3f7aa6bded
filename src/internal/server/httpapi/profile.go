package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/problem"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Profile says whose clients the API answers, where systems differ in what they answer.
type Profile string

// The profiles. EMCO's clients get documents without the status, which they read below the item, and the list of the intents
// of a deployment intent group as EMCO has it.
const (
	ProfileDovetail Profile = "dovetail"
	ProfileEMCO     Profile = "emco"
)

// writeData appends a document as the profile answers it.
func (p Profile) writeData(dst []byte, doc *dovetail.Document) []byte {
	if p == ProfileEMCO {
		return append(dst, doc.Data...)
	}
	return appendData(dst, doc)
}

// status is the one that the profile answers for an error, 0 for the usual one.
func (p Profile) status(err error, e *dovetail.Error) int {
	if p != ProfileEMCO {
		return 0
	}
	var malformed malformedBody
	return problem.StatusForEMCO(e, errors.As(err, &malformed))
}

// keyOf answers the value of one key of the pairs of a cluster, as ?key= asks for.
func (x *requestContext) keyOf(doc *dovetail.Document, key string) error {
	data, err := value.ParseStored(doc.Data, x.holdParsed)
	if err != nil {
		return err
	}
	if pairs := data.At("spec", "kv"); pairs != nil {
		for _, pair := range pairs.Items {
			if is := pair.Get(key); is != nil {
				return x.answer(http.StatusOK, value.NewMap(value.Member{Name: "value", Value: is}).JSON())
			}
		}
	}
	return &dovetail.Error{Code: dovetail.CodeNotFound, Key: doc.ID, Message: string(doc.ID) + " has no key " + strconv.Quote(key)}
}

// lister answers a whole collection in the profile's own way; nil for an array of the items.
func (p Profile) lister(kind *schema.Kind) func(x *requestContext, s *selection) error {
	if p == ProfileEMCO && kind != nil && kind.Name == "groupIntent" {
		return listGroupIntents
	}
	return nil
}

// listGroupIntents answers the members spec.intent of all items.
func listGroupIntents(x *requestContext, s *selection) error {
	then, err := x.store.Pin(x.ctx)
	if err != nil {
		return err
	}
	x.read(then)
	q, err := s.list(x)
	if err != nil {
		return err
	}
	q.Limit, q.Bytes = chunk, x.api.limits.pageBytes()
	var intents []byte
	for {
		page, err := x.list(q)
		if err != nil {
			return err
		}
		if q.After == "" && len(page.Documents) == 0 {
			if err := x.checkParent(); err != nil {
				return err
			}
		}
		before := len(intents)
		for _, doc := range page.Documents {
			data, err := value.ParseStored(doc.Data, x.holdParsed)
			if err != nil {
				return err
			}
			if intent := data.At("spec", "intent"); intent != nil {
				if len(intents) > 0 {
					intents = append(intents, ',')
				}
				intents = intent.AppendJSON(intents)
			}
		}
		if err := x.holdAnswer(int64(len(intents) - before)); err != nil {
			return err
		}
		if q.After = page.Next; q.After == "" {
			return x.answer(http.StatusOK, slices.Concat([]byte(`{"intent":[`), intents, []byte("]}")))
		}
	}
}
