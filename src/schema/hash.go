package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// hashOf computes the hash of a model's meaning.
func hashOf(m *Model) string {
	sum := sha256.New()
	for _, k := range m.kinds {
		sum.Write(toJSON(meaningOf(k)))
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// meaning is all of a kind that decides what is stored and answered, in a form that does not depend
// on how it was written.
type meaning struct {
	Entry       string
	Elements    []string
	Abstract    bool
	Managed     bool              `json:",omitempty"`
	Strict      bool              `json:",omitempty"`
	Defaults    bool              `json:",omitempty"`
	Sensitive   *Sensitive        `json:",omitempty"`
	Inputs      []string          `json:",omitempty"`
	History     History           `json:",omitzero"`
	Unique      []string          `json:",omitempty"`
	Columns     []Column          `json:",omitempty"`
	Immutable   []Path            `json:",omitempty"`
	Rules       []ruleText        `json:",omitempty"`
	Lifecycle   *lifecycleMeaning `json:",omitempty"`
	Index       indexMeaning      `json:",omitzero"`
	Queries     []string          `json:",omitempty"`
	References  []ruleMeaning
	Collections []Collection
	Methods     map[string]int
	Actions     []Action
	Content     []ContentPart
	Schema      json.RawMessage
}

type ruleMeaning struct {
	To        []string
	Type      string
	Map       string
	Field     string
	FixedKv   map[string]string
	Skip      []string
	CommonKey []string
	Cascade   bool
	Weak      bool
	At        string            `json:",omitempty"`
	Members   map[string]string `json:",omitempty"`
	Min       int               `json:",omitempty"`
	Max       int               `json:",omitempty"`
	Exclusive bool              `json:",omitempty"`
}

func meaningOf(k *Kind) meaning {
	w := meaning{
		Entry: k.Entry, Elements: k.Elements, Abstract: k.Abstract, Managed: k.Managed, Strict: k.Strict, Defaults: k.Defaults, Inputs: k.Inputs, Unique: uniqueMeanings(k), Lifecycle: k.Lifecycle.meaning(), Immutable: k.Immutable, Rules: ruleTexts(k), Columns: k.Columns, Queries: queryMeanings(k), History: k.History, Methods: k.Methods, Content: k.Content,
		Schema: canonicalSchema(k.schema),
	}
	w.Index = indexMeaningOf(k)
	if k.Sensitive.Any() {
		w.Sensitive = &k.Sensitive
	}
	collections := slices.Clone(k.Collections)
	for i := range collections {
		if c := &collections[i]; maps.Equal(c.Methods, k.Methods) {
			c.Methods = nil
		}
	}
	w.Collections = slices.SortedFunc(slices.Values(collections), func(a, b Collection) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), strings.Compare(string(toJSON(a)), string(toJSON(b))))
	})
	w.Actions = slices.SortedFunc(slices.Values(k.Actions), func(a, b Action) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	w.References = slices.SortedFunc(slices.Values(ruleMeanings(k)), func(a, b ruleMeaning) int {
		return strings.Compare(string(toJSON(a)), string(toJSON(b)))
	})
	return w
}

func ruleMeanings(k *Kind) []ruleMeaning {
	var all []ruleMeaning
	for _, r := range k.References {
		all = append(all, meaningOfRule(r))
	}
	return all
}

func meaningOfRule(r *Reference) ruleMeaning {
	w := ruleMeaning{Type: r.Type, Map: r.Map, Field: r.Field, FixedKv: r.FixedKv, CommonKey: r.common, Cascade: r.Cascade, Weak: r.Weak,
		At: r.Slot(), Members: r.Members, Min: r.least(), Max: r.Max, Exclusive: r.Exclusive}
	for _, to := range r.To {
		w.To = append(w.To, to.Name)
	}
	w.Skip = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.FilterKeys, r.Skip))))
	return w
}

// canonicalSchema writes a data schema with its members sorted.
func canonicalSchema(s *dataSchema) json.RawMessage {
	if s == nil {
		return nil
	}
	v, err := value.ParseJSON(s.text, value.Limits{})
	if err != nil {
		return s.text
	}
	return toJSON(value.ToAny(v))
}

// toJSON writes plain data, which cannot fail.
func toJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("schema: " + err.Error())
	}
	return text
}
