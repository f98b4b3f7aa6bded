package sd

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Merged is what came of merging.
type Merged struct {
	Descriptor *Descriptor
	// Warnings are what was accepted, in the order of the delta. They have a reason, a position in the
	// delta, and no cause to refuse anything.
	Warnings []*dovetail.Error
}

// Merge merges a delta SD into a full one. What stays of the full SD keeps its order and its
// attributes; see Mode for what changes. The error has a part for everything that forbids the merge:
// what is wrong in either SD, and what does not fit between them.
func Merge(mode Mode, full, delta *Descriptor) (*Merged, error) {
	return merge(mode, full, delta, "the full SD")
}

// merge is Merge that calls the full SD by a name in warnings.
func merge(mode Mode, full, delta *Descriptor, name string) (*Merged, error) {
	var f faults
	switch mode {
	case Replace:
		delta.check(&f, mode, modelNone)
	case ExtendedMerge:
		x := extended{full: full, delta: delta}
		if x.check(&f); f.Total() == 0 {
			return &Merged{Descriptor: x.merge()}, nil
		}
	default:
		full.check(&f, mode, modelNone)
		delta.check(&f, mode, modelNone)
		delta.checkSlots(&f)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	if mode == Replace {
		return &Merged{Descriptor: delta.unplaced()}, nil
	}
	return mergeBasic(mode, full, delta, name), nil
}

// mergeBasic merges by name and deploy postfix. Only applications remain. Warnings call the full SD by a name.
func mergeBasic(mode Mode, full, delta *Descriptor, name string) *Merged {
	changes := make(map[slot]int, len(delta.entries))
	for i := range delta.entries {
		changes[delta.entries[i].slot()] = i
	}
	matched := make([]bool, len(delta.entries))
	entries := make([]entry, 0, len(full.entries)+len(delta.entries))
	for n := range full.entries {
		e := &full.entries[n]
		i, ok := changes[e.slot()]
		if !ok {
			entries = append(entries, *e)
			continue
		}
		matched[i] = true
		if version := delta.entries[i].Version; version != e.Version {
			entries = append(entries, e.withVersion(version))
		} else if mode != BasicExclusionMerge {
			entries = append(entries, *e)
		}
	}
	var warnings []*dovetail.Error
	for i := range delta.entries {
		e := &delta.entries[i]
		switch {
		case matched[i]:
		case mode == BasicExclusionMerge:
			warnings = append(warnings, newFault(ReasonNewApplicationIgnored, e.at.position(), "",
				"the application "+e.Application.String()+" is not in "+name+" and was ignored"))
		default:
			entries = append(entries, e.unplaced())
		}
	}
	return &Merged{Descriptor: full.onlyApplications(entries), Warnings: warnings}
}

// onlyApplications makes an SD of the applications without any other attribute.
func (d *Descriptor) onlyApplications(entries []entry) *Descriptor {
	v := &value.Value{Kind: value.Map, Place: d.value.Place}
	for _, m := range d.value.Members {
		if m.Name == "applications" {
			m.Value = d.applicationList(entries)
			v.Members = append(v.Members, m)
		}
	}
	return &Descriptor{origin: d.origin, value: v, entries: entries}
}
