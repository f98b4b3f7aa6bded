package override

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// parts carries the generated files of the environments that have changed documents.
func (c *carrying) parts(ctx context.Context, changed []dovetail.ID) error {
	of := make(map[dovetail.ID][]dovetail.ID) // changed parts, by environment
	for _, id := range changed {
		if !MadeOf(id) {
			continue
		}
		key := id.Key()
		environment := key[:2].ID()
		of[environment] = append(of[environment], nil...)
		if key[len(key)-1].Name == kindEffectiveSetPart {
			of[environment] = append(of[environment], id)
		}
	}
	var operations []store.Operation
	for _, id := range slices.Sorted(maps.Keys(of)) {
		made, err := c.partsOf(ctx, environmentOf(id), of[id])
		if err != nil {
			return err
		}
		operations = append(operations, made...)
	}
	return c.apply(ctx, operations)
}

// setOf is the set of an environment as it is calculated in one state of the store, with the parts that are stored there.
type setOf struct {
	*effectiveset.Set
	parts             map[string]stored // by their canonical names
	whole             bool              // all of it could be calculated
	bySOPS, encrypted bool
}

// setOf calculates a set; it has no files where it cannot be calculated, or made of what the principal may not read.
func (o *Overrides) setOf(ctx context.Context, e inventory.Environment) (*setOf, error) {
	set := &setOf{Set: &effectiveset.Set{}, parts: make(map[string]stored)}
	parts, err := o.list(own(ctx), e.ID(), kindEffectiveSetPart)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		set.parts[canonical(part.name())] = part
		set.encrypted = set.encrypted || effectiveset.IsEncrypted(part.spec().Get(memberParameters))
	}
	if o.options.Mode != ModeEffectiveSet || o.options.Repository == nil {
		return set, nil
	}
	documents, err := o.calculatedFrom(ctx, e, "")
	switch dovetail.CodeOf(err) {
	case "":
	case dovetail.CodeForbidden, dovetail.CodeNotFound:
		return set, nil
	default:
		return nil, err
	}
	made, failed, err := o.calculateSet(e, documents, parts)
	if err != nil {
		return nil, err
	}
	if made != nil {
		set.Set, set.whole = made, failed == nil
	}
	set.bySOPS = sealedBySOPS(documents)
	return set, nil
}

// content is what a part of the set has to say by its calculation; nil where that is not known.
func (s *setOf) content(o *Overrides, name string) *value.Value {
	if s.Files[name] == nil {
		return nil
	}
	content, _ := o.partContent(s.Set, name, s.parts[name], s.bySOPS, s.encrypted)
	return content
}

// isCurrent reports whether a part is there and says what is calculated, or is neither there nor calculated.
func (s *setOf) isCurrent(o *Overrides, name string) bool {
	part, there := s.parts[name]
	if s.Files[name] == nil {
		return !there && s.whole
	}
	content := s.content(o, name)
	return there && content != nil && value.Equal(part.spec().Get(memberParameters), content)
}

// partsOf returns the operations that give an environment its parts. One that was what is calculated becomes what is calculated now. Others are merged by
// value.
func (c *carrying) partsOf(ctx context.Context, e inventory.Environment, changed []dovetail.ID) ([]store.Operation, error) {
	made, err := c.onto.setOf(ctx, e)
	if err != nil || len(changed) == 0 && len(made.parts) == 0 {
		return nil, err
	}
	is, err := c.to.setOf(ctx, e)
	if err != nil {
		return nil, err
	}
	then, err := c.store.Stored().At(ctx, c.store.Position())
	if err != nil {
		return nil, err
	}
	now, err := New(Stored{Store: then}, c.onto.options).setOf(ctx, e)
	if err != nil {
		return nil, err
	}
	staged := make(map[string]dovetail.ID)
	for _, id := range changed {
		key := id.Key()
		staged[canonical(key[len(key)-1].Value)] = id
	}
	names := slices.Collect(maps.Keys(staged))
	generated := make(map[string]bool)
	for name := range made.parts {
		names, generated[generatedFolder(name)] = append(names, name), true
	}
	for name := range made.Files {
		if generated[generatedFolder(name)] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var operations []store.Operation
	for _, name := range slices.Compact(names) {
		id, changed := staged[name]
		content := made.content(c.onto, name)
		part, there := made.parts[name]
		switch {
		case !is.isCurrent(c.to, name), content == nil && (made.Files[name] != nil || !made.whole):
			if changed {
				merged, err := c.merge(ctx, id)
				if err != nil {
					return nil, err
				}
				operations = append(operations, merged...)
			}
		case !changed && bytes.Equal(made.Files[name], now.Files[name]):
		case content == nil && there:
			operations = append(operations, part.remove())
		case content != nil && (!there || !value.Equal(part.spec().Get(memberParameters), content)):
			op, err := c.put(ctx, e, name, part, is.parts[name], content)
			if err != nil {
				return nil, err
			}
			operations = append(operations, op)
		}
	}
	return operations, nil
}

// put gives a part another content. It keeps the date of its generation.
func (c *carrying) put(ctx context.Context, e inventory.Environment, name string, part, is stored, content *value.Value) (store.Operation, error) {
	like := part
	if like.doc == nil {
		like = is
	}
	spec := value.NewMap()
	if like.doc != nil {
		spec = like.spec().Unplaced()
		if spec.Get(memberGenerated) == nil && part.doc != nil {
			at, err := c.onto.generatedAt(ctx, part)
			if err != nil {
				return store.Operation{}, err
			}
			spec.Set(memberGenerated, value.NewString(at.UTC().Format(time.RFC3339)))
		}
	}
	spec.Set(memberParameters, content.Unplaced())
	if part.doc == nil {
		part = stored{id: e.ID().Child(kindEffectiveSetPart, name)}
	}
	return part.put(spec), nil
}

// merge merges a part by value, as other documents are. A conflict is none that a side can be taken of.
func (c *carrying) merge(ctx context.Context, id dovetail.ID) ([]store.Operation, error) {
	s, err := c.read(ctx, id)
	if err != nil {
		return nil, err
	}
	operations, conflicts, err := c.store.MergeOperations(ctx, []store.Staged{{ID: id, Base: s.was.doc, Document: s.is.doc}}, nil)
	if len(conflicts) > 0 {
		c.conflict(id)
	}
	return operations, err
}
