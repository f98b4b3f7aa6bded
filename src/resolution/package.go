package resolution

import (
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/resolution/solver"
	"github.com/dovetail-store/dovetail/src/resolution/sourcedoc"
	"github.com/dovetail-store/dovetail/src/value"
)

// getPackage answers a package of a source: its versions as they are stored, without their properties, which may be large, and the
// upgrades between them, as resolutions take them. It is refused where a part of the package may not be read.
func (r *Resolutions) getPackage(ctx context.Context, call *httpapi.Request) (*httpapi.Response, error) {
	id := sourcedoc.ID(call.Path["source"]).Child(sourcedoc.KindPackage, call.Path["package"])
	documents, err := r.stored(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(documents) == 0 || documents[0].ID != id {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: string(id) + " does not exist"}
	}
	held := newSources()
	for _, doc := range documents {
		if err := held.put(doc); err != nil {
			return nil, err
		}
	}
	shown, err := sourcedoc.Part(documents[0])
	if err != nil {
		return nil, err
	}
	key := documents[0].Key()
	made := held.held[key[0].Value].packages[key[1].Value].make()
	versions, err := shownVersions(documents[1:], made)
	if err != nil {
		return nil, err
	}
	shownUpgrades, more, err := upgradesOf(ctx, made)
	if err != nil {
		return nil, err
	}
	upgrades, err := value.FromAny(shownUpgrades)
	if err != nil {
		return nil, err
	}
	shown.Set("source", value.NewString(key[0].Value))
	shown.Set("versions", value.NewList(versions...))
	shown.Set("upgrades", upgrades)
	if more > 0 {
		shown.Set("moreUpgrades", value.NewNumber(int64(more)))
	}
	return &httpapi.Response{Body: shown}, nil
}

// maxUpgrades is how many upgrades an answer lists: ranges give every pair of versions one.
const maxUpgrades = 10_000

// upgradesOf returns the first upgrades of a package, and how many more there are.
func upgradesOf(ctx context.Context, of *solver.Package) ([]solver.Upgrade, int, error) {
	upgrades, total := []solver.Upgrade{}, 0
	for upgrade := range of.Upgrades() {
		if total%maxUpgrades == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if total++; total <= maxUpgrades {
			upgrades = append(upgrades, upgrade)
		}
	}
	return upgrades, total - len(upgrades), nil
}

// shownVersions are the versions of a package in its order; those that cannot be read, with the reason, last.
func shownVersions(documents []*dovetail.Document, of *solver.Package) ([]*value.Value, error) {
	place := make(map[string]int, len(of.Versions))
	for i, v := range of.Versions {
		place[v.Text] = i
	}
	parser := solver.NewParser()
	sorted := make([]*value.Value, len(of.Versions))
	var unread []*value.Value
	for _, doc := range documents {
		part, err := sourcedoc.Part(doc)
		if err != nil {
			return nil, err
		}
		text, _ := part.Get("version").Str()
		version := parser.Version(part.Unplaced())
		showProvided(part)
		if err := version.Err(); err != nil {
			part.Set("error", value.NewString(err.Error()))
		}
		if i, ok := place[text]; ok {
			sorted[i] = part
		} else {
			unread = append(unread, part)
		}
	}
	sorted = slices.DeleteFunc(sorted, func(v *value.Value) bool { return v == nil })
	return append(sorted, unread...), nil
}

// showProvided puts the APIs that a version provides in the place of its properties.
func showProvided(part *value.Value) {
	provided := value.NewList()
	if properties := part.Get("properties"); properties != nil {
		for _, p := range properties.Items {
			if kind, _ := p.Get("type").Str(); kind == solver.TypeGVK && p.Get("value") != nil {
				provided.Items = append(provided.Items, p.Get("value"))
			}
		}
	}
	part.Members = slices.DeleteFunc(part.Members, func(m value.Member) bool { return m.Name == "properties" })
	if len(provided.Items) > 0 {
		part.Set("provides", provided)
	}
}
