package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Document is a sample as it is given.
type Document struct {
	ID       dovetail.ID
	Data     *value.Value
	Position dovetail.Position // of the document
}

// Sample is a document with the references that the rules find in it.
type Sample struct {
	ID         dovetail.ID  `json:"id"`
	At         string       `json:"at,omitempty"`
	References []FoundByOne `json:"references,omitempty"`
}

// FoundByOne is a reference of a sample: several targets are what a rule with `oneOf` may mean.
type FoundByOne struct {
	Rule    string        `json:"rule"` // file:line:column
	Targets []dovetail.ID `json:"targets"`
}

// Examine adds to the report what the rules find in samples, and which of them no sample fills. Every sample counts, also
// one that could not be stored.
func (r *Report) Examine(model *schema.Model, samples []Document) {
	known := make(map[dovetail.ID]*value.Value, len(samples))
	for _, s := range samples {
		known[s.ID] = s.Data
	}
	filled := make(map[*schema.Reference]int)
	sampled := make(map[*schema.Kind]bool)
	for _, s := range samples {
		k, err := model.KindOf(s.ID)
		if err != nil {
			r.sample(InvalidSample, "", s, dovetail.AsError(err))
			continue
		}
		sampled[k] = true
		errs := k.Validate(s.Data)
		for _, err := range errs.Kept() {
			r.sample(InvalidSample, k.Name, s, err)
		}
		result := Sample{ID: s.ID, At: s.Position.String()}
		rules := make(map[*schema.Reference]bool)
		for _, c := range k.Extract(s.ID, s.Data) {
			one := FoundByOne{Rule: c.Rule.Position.String()}
			for _, target := range c.Targets {
				one.Targets = append(one.Targets, target.ID)
			}
			result.References = append(result.References, one)
			rules[c.Rule] = true
			if !c.Rule.Weak && !slices.ContainsFunc(one.Targets, func(id dovetail.ID) bool { return known[id] != nil }) {
				r.sample(MissingSample, k.Name, s, &dovetail.Error{Message: "no sample is " + orList(one.Targets), Remedy: "add it to the samples, or correct the reference"})
			}
		}
		for rule := range rules {
			filled[rule]++
		}
		r.Samples = append(r.Samples, result)
		r.parts(k, s)
		if errs.Total() == 0 {
			r.breaking(k, s, func(id dovetail.ID) *value.Value { return known[id] })
		}
	}
	i := 0
	for _, k := range model.Kinds() {
		for _, rule := range k.References {
			r.Rules[i].Filled = filled[rule]
			if sampled[k] && filled[rule] == 0 && len(r.Rules[i].Examples) > 0 {
				r.add(NotInSamples, k, rule, "compare the samples with the example of the rule", "%s: no sample has a reference by this rule: it takes %s, for example",
					k.Name, r.Rules[i].Examples[0].Data.JSON())
			}
			i++
		}
		if !k.Abstract && !sampled[k] {
			r.Findings = append(r.Findings, Finding{Problem: NothingSampled, Kind: k.Name, Message: "no sample is a " + k.Name, At: k.Position.String(), position: k.Position})
		}
	}
}

// sample adds a finding about a sample.
func (r *Report) sample(problem Problem, kind string, s Document, err *dovetail.Error) {
	at := s.Position
	if err.Position.Line > 0 {
		at.Line, at.Column = err.Position.Line, err.Position.Column
	}
	at.Path += err.Position.Path
	r.Findings = append(r.Findings, Finding{Problem: problem, Kind: kind, Document: s.ID, Message: string(s.ID) + ": " + err.Message, Remedy: err.Remedy,
		At: at.String(), position: at})
}

// parts reports objects of a sample with some of the elements of the key of a target, and not all: the rule finds nothing in
// them, and they may have been meant.
func (r *Report) parts(k *schema.Kind, s Document) {
	for _, rule := range k.References {
		for _, to := range rule.To {
			b := builder{kind: k, rule: rule, to: to}
			outside := slices.DeleteFunc(b.entries(), func(e entry) bool { return slices.Contains(k.Elements, e.element) })
			switch {
			case !rule.At.IsZero(): // Validate refuses what fills a slot in part
			case rule.Type == "many":
				r.partsOf(k, s, to, outside)
			case rule.Type == "" && len(found(k, s.ID, s.Data, rule, to)) == 0:
				r.partsAnywhere(k, s, to, outside)
			}
		}
	}
}

// partsAnywhere is for rules that put a key together from the whole spec.
func (r *Report) partsAnywhere(k *schema.Kind, s Document, to *schema.Kind, entries []entry) {
	holds := make(map[string]bool)
	var walk func(v *value.Value)
	walk = func(v *value.Value) {
		for _, item := range v.Items {
			walk(item)
		}
		for _, m := range v.Members {
			if text, ok := m.Value.Str(); ok && text != "" {
				holds[m.Name] = true
			}
			walk(m.Value)
		}
	}
	spec := s.Data.Get("spec")
	if spec == nil {
		return
	}
	walk(spec)
	r.part(k, s, to, entries, []string{"spec"}, spec, func(member string) bool { return holds[member] })
}

func (r *Report) partsOf(k *schema.Kind, s Document, to *schema.Kind, entries []entry) {
	var walk func(path []string, v *value.Value)
	walk = func(path []string, v *value.Value) {
		r.part(k, s, to, entries, path, v, func(member string) bool {
			text, ok := v.Get(member).Str()
			return ok && text != ""
		})
		for i, item := range v.Items {
			walk(append(slices.Clip(path), fmt.Sprint(i)), item)
		}
		for _, m := range v.Members {
			walk(append(slices.Clip(path), m.Name), m.Value)
		}
	}
	if spec := s.Data.Get("spec"); spec != nil {
		walk([]string{"spec"}, spec)
	}
}

// part reports a place of a sample that has some of the members and not all.
func (r *Report) part(k *schema.Kind, s Document, to *schema.Kind, entries []entry, path []string, v *value.Value, holds func(string) bool) {
	var has, lacks []string
	for _, e := range entries {
		if holds(e.member) {
			has = append(has, e.member)
		} else {
			lacks = append(lacks, e.member)
		}
	}
	if len(has) == 0 || len(lacks) == 0 {
		return
	}
	at := v.Position()
	at.Path = value.Pointer(path...)
	r.sample(PartOfKey, k.Name, s, &dovetail.Error{Position: at, Message: fmt.Sprintf("%s has %s, and not %s, so that it refers to no %s",
		at.Path, strings.Join(has, ", "), strings.Join(lacks, ", "), to.Name), Remedy: "add what is missing, or check how it is spelt"})
}

func orList(ids []dovetail.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, " or ")
}
