package sd

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// State is what is known of the environment before a request.
type State struct {
	// Environment is what messages call it, as cluster/environment; "" where it is not known.
	Environment string
	// Full is the stored full SD; nil when there is none.
	Full *Descriptor
	// Namespaces maps the names of the environment's namespaces to their deploy postfixes; nil when
	// they are not known, so that deploy postfixes are not checked.
	Namespaces map[string]string
	// Domain is the environment's blue-green domain; nil if there is none.
	Domain *Domain
}

// Outcome is what a request leads to.
type Outcome struct {
	Full *Descriptor
	// Delta is the new delta SD; nil when the stored one stays as it is.
	Delta    *Descriptor
	Warnings []*dovetail.Error
}

// Process carries a request out on the SDs that Fetch returned for it: several are merged into one in
// the mode of the request, of Replace in BasicMerge; that one is merged into the stored full SD, or
// takes its place. It stores nothing: who calls it stores both SDs, or, after an error, none.
func (r *Request) Process(incoming []*Descriptor, state State) (*Outcome, error) {
	in, err := r.fold(incoming, state)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Warnings: in.Warnings}
	var f faults
	if unknown := r.unknownPostfixes(incoming, in.Descriptor, state); r.EnforceNamespaces {
		f.Add(unknown...)
	} else {
		out.Warnings = append(out.Warnings, unknown...)
	}
	f.Join(r.store(out, in.Descriptor, state))
	if err := f.err(); err != nil {
		return nil, err
	}
	return out, nil
}

// unknownPostfixes reports deploy postfixes without a namespace, where namespaces are known or the
// SDs need them.
func (r *Request) unknownPostfixes(incoming []*Descriptor, descr *Descriptor, state State) []*dovetail.Error {
	if r.Mode == BasicExclusionMerge { // what is excluded needs no namespace
		return nil
	}
	if state.Namespaces == nil && !slices.ContainsFunc(incoming, (*Descriptor).namesNamespaces) {
		return nil
	}
	return descr.unknownPostfixes(state)
}

// store puts what came in where the request wants it.
func (r *Request) store(out *Outcome, in *Descriptor, state State) error {
	out.Full = in.unplaced()
	if r.Replaces() {
		return nil
	}
	out.Delta = out.Full
	switch {
	case state.Full != nil:
		merged, err := Merge(r.Mode, state.Full, in)
		if err != nil {
			return err
		}
		out.Full = merged.Descriptor
		out.Warnings = append(out.Warnings, merged.Warnings...)
	case r.Mode == BasicExclusionMerge:
		out.Warnings = append(out.Warnings, newFault(ReasonFullAbsent, in.at(in.value), "",
			"no full SD is stored from which something could be excluded, so that what came in became the full SD"))
	}
	return nil
}

// fold merges the SDs of a request into one. A single one that is going to be merged is not checked
// here, so that Merge can report everything about it.
func (r *Request) fold(incoming []*Descriptor, state State) (*Merged, error) {
	sds := make([]*Descriptor, len(incoming))
	for i, descr := range incoming {
		sds[i] = descr.withDeployPostfixes(state.Namespaces)
	}
	switch {
	case len(sds) == 1 && r.Replaces():
		return Fold(Replace, sds...)
	case len(sds) == 1 && state.Full != nil:
		return &Merged{Descriptor: sds[0]}, nil
	case r.Mode == Replace:
		return Fold(BasicMerge, sds...)
	}
	return fold(nil, r.Mode, "the SDs before it in the request", sds) // which need not be all that is stored
}
