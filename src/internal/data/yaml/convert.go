package yaml

import (
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// converter makes values of nodes that were measured. Where something is wrong it notes the error
// and goes on.
type converter struct {
	errs    dovetail.Errors
	path    []string
	aliases int  // how many aliases we are inside of: what is wrong there was noted at the anchor
	classic bool // plain scalars are read by YAML 1.1
	python  bool // see ParsePython
	tools   bool // see ParseKubernetes
	last    bool // of a duplicate key the last one counts
	hidden  []dovetail.Position
}

func (c *converter) fail(n *yaml.Node, code dovetail.Code, message, remedy string) {
	if c.aliases > 0 {
		return
	}
	if c.errs.Full() {
		c.errs.Count(1)
		return
	}
	c.errs.Add(&dovetail.Error{Code: code, Message: message, Remedy: remedy,
		Position: dovetail.Position{Line: n.Line, Column: n.Column, Path: value.Pointer(c.path...)}})
}

func (c *converter) enter(name string) { c.path = append(c.path, name) }

func (c *converter) leave() { c.path = c.path[:len(c.path)-1] }

func (c *converter) value(n *yaml.Node) *value.Value {
	switch n.Kind {
	case yaml.AliasNode:
		c.aliases++
		v := c.value(n.Alias)
		c.aliases--
		v.Place = at(n)
		return v
	case yaml.SequenceNode:
		return c.list(n)
	case yaml.MappingNode:
		return c.mapping(n)
	}
	return c.scalar(n)
}

func at(n *yaml.Node) value.Place { return value.At(n.Line, n.Column) }

func (c *converter) list(n *yaml.Node) *value.Value {
	c.checkTag(n, "!!seq")
	v := &value.Value{Kind: value.List, Place: at(n)}
	if len(n.Content) > 0 {
		v.Items = make([]*value.Value, len(n.Content))
	}
	for i, item := range n.Content {
		c.enter(strconv.Itoa(i))
		v.Items[i] = c.value(item)
		c.leave()
	}
	return v
}

// mapping makes a map of the members as they are written; those that a merge key brings come last.
func (c *converter) mapping(n *yaml.Node) *value.Value {
	c.checkTag(n, "!!map")
	v := &value.Value{Kind: value.Map, Place: at(n)}
	if len(n.Content) == 0 {
		return v
	}
	v.Members = make([]value.Member, 0, len(n.Content)/2)
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	var merge *yaml.Node // the merge key
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, to := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			if merge != nil && !c.last {
				c.duplicate(key, merge)
			}
			merge, merged = key, append(merged, to)
			continue
		}
		name, ok := c.key(key)
		if !ok {
			continue
		}
		c.enter(name)
		if first := seen[name]; first != nil && c.last {
			c.hide(first)
			seen[name] = key
			v.Set(name, c.value(to))
		} else if first != nil {
			c.duplicate(key, first)
		} else {
			seen[name] = key
			v.Members = append(v.Members, value.Member{Name: name, Value: c.value(to), Place: at(key)})
		}
		c.leave()
	}
	for _, from := range merged {
		c.merge(v, from, seen)
	}
	return v
}

// hide notes a key of which the value does not count.
func (c *converter) hide(key *yaml.Node) {
	if c.aliases == 0 {
		c.hidden = append(c.hidden, dovetail.Position{Line: key.Line, Column: key.Column, Path: value.Pointer(c.path...)})
	}
}

func (c *converter) duplicate(key, first *yaml.Node) {
	c.fail(key, dovetail.CodeInvalid,
		fmt.Sprintf("duplicate key %s, first in line %d column %d", quote(target(key).Value), first.Line, first.Column),
		"remove one of the two")
}

// merge adds the members of the map, or of the list of maps, that a merge key (<<) names. Members
// that were seen win over them, and of several maps the earlier ones.
func (c *converter) merge(v *value.Value, from *yaml.Node, seen map[string]*yaml.Node) {
	maps := []*yaml.Node{from}
	if list := target(from); list.Kind == yaml.SequenceNode {
		maps = list.Content
	}
	for _, n := range maps {
		if target(n).Kind != yaml.MappingNode {
			c.fail(n, dovetail.CodeInvalid, "a merge key (<<) takes a map or a list of maps", `put the key in quotes if it is an ordinary one: "<<"`)
			continue
		}
		for _, m := range c.value(n).Members {
			if seen[m.Name] == nil {
				seen[m.Name] = n
				v.Members = append(v.Members, m)
			}
		}
	}
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Tag == "!!merge"
}

// key returns the name that a key stands for: scalars of every type but null are taken by their text.
func (c *converter) key(key *yaml.Node) (string, bool) {
	n := target(key)
	var what string
	switch {
	case n.Kind == yaml.SequenceNode:
		what = "a list"
	case n.Kind == yaml.MappingNode:
		what = "a map"
	case n.Tag == "!!null":
		what = "null"
	case !c.python:
		c.checkScalarTag(n)
		return n.Value, true
	default:
		if v := c.scalar(n); c.python && v.Kind != value.String {
			return v.Text, true
		}
		return n.Value, true
	}
	c.fail(key, dovetail.CodeInvalid, "a key cannot be "+what, "use a text as the key, in quotes if need be")
	return "", false
}

// checkTag refuses a tag on a list or map that does not say what it is anyway.
func (c *converter) checkTag(n *yaml.Node, want string) {
	if n.Tag != want {
		c.wrongTag(n)
	}
}

func (c *converter) wrongTag(n *yaml.Node) {
	c.fail(n, dovetail.CodeInvalid, "the tag "+quote(n.Tag)+" cannot be used here", "remove the tag")
}
