package rendering

import (
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// ListKeys says which lists of maps are merged item by item, and by which members: those of the list or map that it stands for, and
// of all below. nil is none. It must not be changed once documents have it.
type ListKeys struct {
	Key     ListKey              // of the items of the list; the zero value for one that is replaced as a whole
	Members map[string]*ListKeys // of a map
	Items   *ListKeys            // what all items of the list have
}

// ListKey are the members that identify the items of a list.
type ListKey struct {
	Name string
	// Also is a second member, empty if there is none. Items may lack it, and then have the text Otherwise.
	Also, Otherwise string
}

// at are the keys below a path.
func (k *ListKeys) at(where path) *ListKeys {
	for _, s := range where {
		if s.item {
			k = k.items()
		} else {
			k = k.member(s.name)
		}
	}
	return k
}

func (k *ListKeys) member(name string) *ListKeys {
	if k == nil {
		return nil
	}
	return k.Members[name]
}

func (k *ListKeys) items() *ListKeys {
	if k == nil {
		return nil
	}
	return k.Items
}

func (k *ListKeys) merges() bool { return k != nil && k.Key.Name != "" }

// over adds others. Where both have a key, the receiver's counts.
func (k *ListKeys) over(others *ListKeys) *ListKeys {
	switch {
	case k == nil:
		return others
	case others == nil:
		return k
	}
	both := &ListKeys{Key: k.Key, Items: k.Items.over(others.Items), Members: make(map[string]*ListKeys, len(k.Members)+len(others.Members))}
	if !k.merges() {
		both.Key = others.Key
	}
	for name, keys := range others.Members {
		both.Members[name] = keys
	}
	for name, keys := range k.Members {
		both.Members[name] = keys.over(others.Members[name])
	}
	return both
}

// add sets the key of the list at a path.
func (k *ListKeys) add(where path, key ListKey) {
	for _, s := range where {
		next := k.Items
		if !s.item {
			next = k.Members[s.name]
		}
		if next == nil {
			next = &ListKeys{}
		}
		switch {
		case s.item:
			k.Items = next
		case k.Members == nil:
			k.Members = map[string]*ListKeys{s.name: next}
		default:
			k.Members[s.name] = next
		}
		k = next
	}
	k.Key = key
}

// listKeys reads paths of lists with the names of their keys. With below, a leading .data means the data itself, as in actions.
func listKeys(f decode.Field, below bool) *ListKeys {
	if f.IsMissing() || !f.IsMap() {
		return nil
	}
	keys := &ListKeys{}
	for text, m := range f.All() {
		where, problem := parsePath(text)
		if below {
			where = where.withoutData(text)
		}
		for _, s := range where {
			switch {
			case s.item && !s.any:
				problem = "the keys are those of all items"
			case s.any && !s.item:
				problem = "a wildcard stands for items only"
			}
		}
		if problem != "" {
			m.Fail("write it as .a.b, and [*] for the items of a list on the way", "%s is not a path of lists: %s", short(text), problem)
			continue
		}
		if name := m.Text(); name != "" {
			keys.add(where, ListKey{Name: name})
		}
	}
	return keys
}

// of returns the key of an item as a text, or what is wrong with it.
func (k ListKey) of(item *value.Value) (text, problem string) {
	if item.Kind != value.Map {
		return "", "it is a " + item.Kind.String() + ", not a map"
	}
	v := item.Get(k.Name)
	switch {
	case v == nil:
		return "", "it has no " + k.Name
	case !isScalar(v):
		return "", "its " + k.Name + " is a " + v.Kind.String()
	case k.Also == "":
		return string(v.JSON()), ""
	}
	also := item.Get(k.Also)
	switch {
	case also == nil || also.Kind == value.Null:
		also = value.NewString(k.Otherwise)
	case !isScalar(also):
		return "", "its " + k.Also + " is a " + also.Kind.String()
	}
	return string(v.JSON()) + " and " + k.Also + " " + string(also.JSON()), ""
}

func isScalar(v *value.Value) bool {
	return v.Kind == value.String || v.Kind == value.Number || v.Kind == value.Bool
}
