package sourcedoc

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// Part is what a stored document of one of the kinds says of its source, package or version: its spec with its
// name. The error is of CodeCorrupt.
func Part(doc *dovetail.Document) (*value.Value, error) {
	data, err := value.DataOf(doc, nil)
	if err != nil {
		return nil, err
	}
	member := memberName
	if doc.Kind == KindVersion {
		member = memberVersion
	}
	key := doc.Key()
	part := value.NewMap(value.Member{Name: member, Value: value.NewString(key[len(key)-1].Value)})
	if spec := data.Get("spec"); spec != nil {
		for _, m := range spec.Members {
			if m.Name != member {
				part.Members = append(part.Members, m)
			}
		}
	}
	return part, nil
}

// Document puts the stored documents of one source together: the source itself and those below it, in the
// order of ids. The error is of CodeCorrupt.
func Document(documents []*dovetail.Document) (*value.Value, error) {
	source := value.NewMap()
	lists := make(map[dovetail.ID]*value.Value) // of packages and versions, by their parent
	below := func(parent dovetail.ID, holder *value.Value, member string) {
		list := value.NewList()
		lists[parent] = list
		holder.Set(member, list)
	}
	for _, doc := range documents {
		part, err := Part(doc)
		if err != nil {
			return nil, err
		}
		key := doc.Key()
		parent := key[:len(key)-1].ID()
		if doc.Kind == KindSource {
			source = part
			below(doc.ID, part, memberPackages)
			continue
		}
		if doc.Kind == KindPackage {
			below(doc.ID, part, memberVersions)
		}
		if list := lists[parent]; list != nil {
			list.Items = append(list.Items, part)
		}
	}
	return source, nil
}
