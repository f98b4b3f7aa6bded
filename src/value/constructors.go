package value

import "strconv"

// NewString makes a string. It should be valid UTF-8.
func NewString(text string) *Value { return &Value{Kind: String, Text: text} }

// NewNumber makes an integer.
func NewNumber(n int64) *Value { return &Value{Kind: Number, Text: strconv.FormatInt(n, 10)} }

// NewBool makes a boolean.
func NewBool(b bool) *Value { return &Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// NullValue makes a null.
func NullValue() *Value { return &Value{} }

// NewList makes a list of the items, which it keeps.
func NewList(items ...*Value) *Value { return &Value{Kind: List, Items: items} }

// NewMap makes a map of the members, which it keeps. Their names must be unique.
func NewMap(members ...Member) *Value { return &Value{Kind: Map, Members: members} }

// Clone copies the value with all that is in it, positions included.
func (v *Value) Clone() *Value { return v.clone(true) }

// Unplaced copies the value with all that is in it, without positions: it no longer tells where it
// was read.
func (v *Value) Unplaced() *Value { return v.clone(false) }

func (v *Value) clone(positions bool) *Value {
	if v == nil {
		return nil
	}
	c := *v
	if !positions {
		c.Line, c.Column = 0, 0
	}
	if v.Items != nil {
		c.Items = make([]*Value, len(v.Items))
		for i, item := range v.Items {
			c.Items[i] = item.clone(positions)
		}
	}
	if v.Members != nil {
		c.Members = make([]Member, len(v.Members))
		for i, m := range v.Members {
			m.Value = m.Value.clone(positions)
			if !positions {
				m.Line, m.Column = 0, 0
			}
			c.Members[i] = m
		}
	}
	return &c
}
