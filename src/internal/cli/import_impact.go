package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/client"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	resolved "github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Forecaster is a server that says what a catalog would do to ActiveResolutions. *client.Client is one.
type Forecaster interface {
	CatalogImpact(ctx context.Context, source string, files []client.CatalogFile, priority *int64) (*api.SourceImpact, error)
}

// impact says what a catalog would do to ActiveResolutions: a server knows that of all, and in a database everything can be read. It is nil
// in a change set, which tells its impact as a whole.
func (o *importCatalogOptions) impact(ctx context.Context, st Store, name string, source, priority *value.Value, read []catalog.File) (*api.SourceImpact, error) {
	server, remote := st.(Forecaster)
	switch {
	case o.changeSet != "":
		return nil, nil //nolint:nilnil // none is asked for
	case !remote:
		return impactHere(ctx, st, name, source, priority)
	}
	files := make([]client.CatalogFile, len(read))
	for i, f := range read {
		files[i] = client.CatalogFile{Name: f.Name, Text: string(f.Data)}
	}
	if priority == nil {
		return server.CatalogImpact(ctx, name, files, nil)
	}
	return server.CatalogImpact(ctx, name, files, &o.priority)
}

// impactHere says it of what is in a database.
func impactHere(ctx context.Context, st Store, name string, content, priority *value.Value) (*api.SourceImpact, error) {
	before, err := readSources(ctx, st)
	if err != nil {
		return nil, err
	}
	after := resolved.Replaced(before, solver.NewParser().Source(resolved.SourceOf(name, content, priority, before)))
	found := &api.SourceImpact{Resolutions: []api.ResolutionImpact{}}
	for doc, err := range st.Documents(ctx, store.ListQuery{Kind: resolved.Kind}) {
		if err != nil {
			return nil, err
		}
		req, err := resolved.ReadRequest(doc)
		if err != nil {
			found.Unknown++ // fsck says what is wrong with it
			continue
		}
		one, err := resolved.Foresee(ctx, doc.ID, req, before, after, solver.Options{})
		switch {
		case errors.Is(err, resolved.ErrNotKnown):
			found.Unknown++
		case err != nil:
			return nil, err
		}
		resolved.Add(found, one)
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	impact := new(api.SourceImpact)
	return impact, json.Unmarshal(text, impact)
}

// readSources reads all sources, each whole.
func readSources(ctx context.Context, st Store) ([]*solver.Source, error) {
	parser := solver.NewParser()
	var sources []*solver.Source
	for doc, err := range st.Documents(ctx, store.ListQuery{Kind: sourcedoc.KindSource}) {
		if err != nil {
			return nil, err
		}
		parts := []*dovetail.Document{doc}
		for part, err := range st.Documents(ctx, store.ListQuery{Under: doc.ID}) {
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		whole, err := sourcedoc.Document(parts)
		if err != nil {
			return nil, err
		}
		sources = append(sources, parser.Source(whole))
	}
	return sources, nil
}

// showImpact names the ActiveResolutions that would change.
func (s *session) showImpact(impact *api.SourceImpact) {
	if impact == nil {
		return
	}
	for _, r := range impact.Resolutions {
		fmt.Fprintf(s.Out, "%s %s\n", r.Resolution, r.Effect)
		for _, c := range r.Selections {
			switch {
			case c.From == nil:
				fmt.Fprintf(s.Out, "  + %s:%s\n", c.Package, *c.To)
			case c.To == nil:
				fmt.Fprintf(s.Out, "  - %s:%s\n", c.Package, *c.From)
			default:
				fmt.Fprintf(s.Out, "  ~ %s:%s -> %s\n", c.Package, *c.From, *c.To)
			}
		}
		if r.Message != "" {
			fmt.Fprintln(s.Out, "  "+r.Message)
		}
	}
	if more := impact.Total - len(impact.Resolutions); more > 0 {
		fmt.Fprintf(s.Out, "and %d more active resolutions\n", more)
	}
	if impact.Total == 0 {
		fmt.Fprintln(s.Out, "no active resolution would change")
	}
	if impact.Unreadable > 0 {
		fmt.Fprintf(s.Out, "of %d active resolutions you may not see what is selected\n", impact.Unreadable)
	}
	if impact.Unknown > 0 {
		fmt.Fprintf(s.Out, "%d active resolutions were not looked at: it took too long, or they cannot be read\n", impact.Unknown)
	}
}
