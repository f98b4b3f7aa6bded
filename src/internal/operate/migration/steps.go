package migration

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/internal/data/suggest"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/value"
)

// Change is what becomes of documents when another ref-schema takes force.
type Change struct {
	Next     *schema.Model
	Text     []byte            // what the file says, as JSON
	elements map[string]string // elements of keys that get another name
	subtrees []dovetail.Move   // documents that get another id with all below them, which no element's new name gives
	at       []decode.Field    // of the subtrees in the file, while that is read
	steps    []step
}

// step is what happens to the data of the documents of a kind.
type step struct {
	kind      string
	verb      string
	path      []string
	to        [][]string
	value     *value.Value
	separator string
}

// The steps of a migration, as the file names them.
const (
	stepRename  = "rename"
	stepMove    = "move"
	stepDefault = "default"
	stepDrop    = "drop"
	stepSplit   = "split"
	stepSubtree = "subtree"
)

var stepNames = []string{stepRename, stepSubtree, stepMove, stepDefault, stepDrop, stepSplit}

// Parse reads the file of a migration and checks it against the ref-schema that is in force and the next one. All that is wrong is
// reported together, with positions.
func Parse(name string, text []byte, from, next *schema.Model) (*Change, error) {
	root, err := yaml.Parse(name, text, value.Limits{})
	if err != nil {
		return nil, err
	}
	if len(root) != 1 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: name}, Message: "a migration is one YAML document with steps"}
	}
	return Read(name, root[0], from, next)
}

// Read is Parse of what the file says.
func Read(name string, root *value.Value, from, next *schema.Model) (*Change, error) {
	var errs dovetail.Errors
	c := &Change{Next: next, Text: root.JSON(), elements: make(map[string]string)}
	d := decode.Decoder{File: name, Errors: &errs}
	fields := d.Root(root, "the migration", "")
	fields.Map("steps")
	for _, item := range fields.Get("steps").NonEmptyList("step") {
		c.read(item, from, next)
	}
	for at, f := range c.at {
		c.checkSubtree(at, f, from)
	}
	c.at = nil
	return c, errs.Err("the migration is refused")
}

func (c *Change) read(item decode.Field, from, next *schema.Model) {
	if item.Kind() == value.Map && len(item.Value.Members) != 1 {
		item.Fail("it is one of "+strings.Join(stepNames, ", "), "a step has %d members instead of one", len(item.Value.Members))
	}
	for verb, f := range item.Members(stepNames...) {
		switch verb {
		case stepRename:
			f.Map("element", "to")
			c.readRename(f, from, next)
			continue
		case stepSubtree:
			f.Map("from", "to")
			c.subtrees = append(c.subtrees, dovetail.Move{From: readID(f.Get("from"), from, "in force"), To: readID(f.Get("to"), next, "that is new")})
			c.at = append(c.at, f)
			continue
		}
		s := step{verb: verb, kind: f.Get("kind").Text(), path: readPath(f.Get("member"))}
		if _, known := from.Kind(s.kind); !known && s.kind != "" {
			f.Get("kind").Fail(near(s.kind, kindNames(from)), "the ref-schema in force has no kind %q", s.kind)
		}
		switch verb {
		case stepMove:
			f.Map("kind", "member", "to")
			s.to = [][]string{readPath(f.Get("to"))}
		case stepDefault:
			f.Map("kind", "member", "value")
			f.Require("value")
			s.value = f.Get("value").Value
		case stepDrop:
			f.Map("kind", "member")
		case stepSplit:
			f.Map("kind", "member", "into", "separator")
			s.separator = f.Get("separator").Text()
			for _, to := range f.Get("into").NonEmptyList("member") {
				s.to = append(s.to, readPath(to))
			}
		}
		c.steps = append(c.steps, s)
	}
}

func (c *Change) readRename(f decode.Field, from, next *schema.Model) {
	was, is := f.Get("element").Text(), f.Get("to").Text()
	if was == "" || is == "" {
		return
	}
	if !slices.Contains(elementNames(from), was) {
		f.Get("element").Fail(near(was, elementNames(from)), "no key of the ref-schema in force has the element %q", was)
	}
	if !slices.Contains(elementNames(next), is) {
		f.Get("to").Fail(near(is, elementNames(next)), "no key of the new ref-schema has the element %q", is)
	}
	if _, twice := c.elements[was]; twice {
		f.Get("element").Fail("rename it once", "the element %q is renamed twice", was)
	}
	c.elements[was] = is
}

// readPath reads where a member is, without [*].
func readPath(f decode.Field) []string {
	text := f.Text()
	if text == "" {
		return nil
	}
	path, err := schema.ParsePath(text)
	if err != nil {
		f.Join(err)
		return nil
	}
	names, ok := path.Names()
	if !ok {
		f.Fail("name one member, as spec.a", "%q names more than one member", text)
	}
	return names
}

func near(written string, known []string) string {
	if name := suggest.Nearest(written, known); name != "" {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return "its names are " + strings.Join(known, ", ")
}

func kindNames(m *schema.Model) []string {
	var names []string
	for _, k := range m.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func elementNames(m *schema.Model) []string {
	names := make(map[string]bool)
	for _, k := range m.Kinds() {
		for _, e := range k.Elements {
			names[e] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// mayLose reports whether documents of a kind may refer to less than before.
func (c *Change) mayLose(kind string) bool {
	return c != nil && slices.ContainsFunc(c.steps, func(s step) bool { return s.kind == kind && s.verb == stepDrop })
}

// apply does the steps of a kind, in the order of the file.
func (c *Change) apply(kind string, data *value.Value) error {
	for _, s := range c.steps {
		if s.kind != kind {
			continue
		}
		if err := s.apply(data); err != nil {
			return err
		}
	}
	return nil
}

func (s *step) apply(data *value.Value) error {
	holder, last := data.At(s.path[:len(s.path)-1]...), s.path[len(s.path)-1]
	v := holder.Get(last)
	if s.verb == stepDefault {
		if v == nil {
			return set(data, s.path, s.value.Unplaced())
		}
		return nil
	}
	if v == nil {
		return nil
	}
	holder.Delete(last)
	switch s.verb {
	case stepMove:
		return set(data, s.to[0], v)
	case stepSplit:
		text, ok := v.Str()
		parts := strings.Split(text, s.separator)
		if !ok || len(parts) != len(s.to) {
			return fmt.Errorf("%s is %s, which has not %d parts", strings.Join(s.path, "."), v.JSON(), len(s.to))
		}
		for i, to := range s.to {
			if err := set(data, to, value.NewString(parts[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// set gives a member a value, with the objects on the way to it. What is there already stays, and is an error.
func set(data *value.Value, path []string, v *value.Value) error {
	for i, name := range path {
		if data.Kind != value.Map {
			return fmt.Errorf("%s is no object", strings.Join(path[:i], "."))
		}
		next := data.Get(name)
		switch {
		case i < len(path)-1 && next == nil:
			next = value.NewMap()
			data.Set(name, next)
		case i < len(path)-1:
		case next != nil:
			return fmt.Errorf("%s exists already", strings.Join(path, "."))
		default:
			data.Set(name, v)
		}
		data = next
	}
	return nil
}
