package layering

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/store"
)

// Impact reports the rendered documents of the newest revision that differ. Secrets are compared in their redacted form.
func Impact(options Options) impact.Func {
	return func(ctx context.Context, before, after *store.Store, changed []dovetail.ID, report *impact.Report) error {
		if !slices.Contains(changed, headID) { // every revision moves it
			return nil
		}
		was, err := renderedNow(ctx, before, options)
		if failed := unrenderable(ctx, report, err); failed != nil || err != nil {
			return failed
		}
		is, err := renderedNow(ctx, after, options)
		if failed := unrenderable(ctx, report, err); failed != nil || err != nil {
			return failed
		}
		names := maps.Clone(was)
		maps.Copy(names, is)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			c := cmp.Or(is[name], was[name])
			report.Compare(name, "the document "+c.ID.String()+" of the bucket "+c.Bucket, derived(was[name]), derived(is[name]))
		}
		return nil
	}
}

// renderedNow renders the newest revision for the principal.
func renderedNow(ctx context.Context, s *store.Store, options Options) (map[string]*chosen, error) {
	r := New(s, options)
	newest, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	of, err := r.Revision(ctx, newest.Number) // the head is read by the service itself
	if err != nil {
		return nil, err
	}
	documents, err := r.rendered(ctx, r.scope(ctx), of)
	if err != nil {
		return nil, err
	}
	all := make(map[string]*chosen, len(documents))
	for i := range documents {
		c := &documents[i]
		all[strings.Join([]string{c.Bucket, c.Schema, c.Name, c.Layer}, "/")] = c
	}
	return all, nil
}

// unrenderable reports that a revision cannot be rendered, or may not be read. It returns an error that is about neither.
func unrenderable(ctx context.Context, report *impact.Report, err error) error {
	switch {
	case err == nil:
	case ctx.Err() != nil, dovetail.CodeOf(err) == dovetail.CodeUnavailable, dovetail.CodeOf(err) == dovetail.CodeInternal:
		return err
	default:
		report.Compare("revision", "the newest revision", &impact.Derived{}, &impact.Derived{Err: err})
	}
	return nil
}

func derived(c *chosen) *impact.Derived {
	if c == nil {
		return &impact.Derived{}
	}
	return &impact.Derived{Value: c.data(false)}
}
