package yaml

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// scalar makes a value of a scalar by its tag, or, of a plain one without a tag, by its looks.
func (c *converter) scalar(n *yaml.Node) *value.Value {
	v := &value.Value{Place: at(n)}
	if !c.checkScalarTag(n) {
		return v
	}
	tagged := n.Style&yaml.TaggedStyle != 0
	switch {
	case tagged && n.Tag == "!!binary":
		v.Kind, v.Text = value.String, c.binary(n)
		return v
	case tagged && (n.Tag == "!!str" || n.Tag == "!!timestamp"), !tagged && n.Style&quoted != 0:
		v.Kind, v.Text = value.String, n.Value
		return v
	}
	r := resolve(n.Value)
	if c.classic {
		r = resolveClassic(n.Value)
	}
	if c.tools {
		r = resolveTools(n.Value, r)
	}
	if c.python && r.kind == value.Number && pythonText(n.Value) {
		r = resolved{kind: value.String, text: n.Value}
	}
	if r.problem != "" {
		c.fail(n, r.code, r.problem, "write it as a string, in quotes")
		return v
	}
	if tagged && !r.fits(n.Tag) {
		c.fail(n, dovetail.CodeInvalid, fmt.Sprintf("%s is not what the tag %s says", quote(n.Value), n.Tag), "correct the value, or remove the tag")
		return v
	}
	v.Kind, v.Text = r.kind, r.text
	return v
}

// checkScalarTag reports whether the tag is one of those that JSON has a type for.
func (c *converter) checkScalarTag(n *yaml.Node) bool {
	switch n.Tag {
	case "!!str", "!!null", "!!bool", "!!int", "!!float", "!!timestamp", "!!binary", "!!merge":
		return true
	}
	c.wrongTag(n)
	return false
}

// binary returns the base64 text of a !!binary scalar without white space.
func (c *converter) binary(n *yaml.Node) string {
	text := strings.Join(strings.Fields(n.Value), "")
	if _, err := base64.StdEncoding.DecodeString(text); err != nil {
		c.fail(n, dovetail.CodeInvalid, "the tag !!binary is on a text that is not base64", "correct the text, or remove the tag")
	}
	return text
}

// resolved is what a plain scalar means.
type resolved struct {
	kind    value.Kind
	text    string
	integer bool
	code    dovetail.Code // with problem
	problem string        // why it cannot be a value
}

func (r resolved) fits(tag string) bool {
	switch tag {
	case "!!null":
		return r.kind == value.Null
	case "!!bool":
		return r.kind == value.Bool
	case "!!int":
		return r.kind == value.Number && r.integer
	case "!!float":
		return r.kind == value.Number
	}
	return false
}

func resolve(text string) resolved {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return resolved{kind: value.Null}
	case "true", "True", "TRUE":
		return resolved{kind: value.Bool, text: "true"}
	case "false", "False", "FALSE":
		return resolved{kind: value.Bool, text: "false"}
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return resolved{code: dovetail.CodeInvalid, problem: text + " is not a number that JSON has"}
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' {
		return resolveNumber(text)
	}
	return resolved{kind: value.String, text: text}
}

var (
	based   = regexp.MustCompile(`^([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))$`)
	decimal = regexp.MustCompile(`^([-+]?)([0-9]*)(?:\.([0-9]*))?([eE][-+]?[0-9]+)?$`)
)

// resolveNumber makes the equal JSON number of what YAML takes for one; anything else is a string.
func resolveNumber(text string) resolved {
	plain := text
	if text[0] != '.' && strings.IndexByte(text, '_') >= 0 {
		plain = strings.ReplaceAll(text, "_", "")
	}
	var r resolved
	if m := based.FindStringSubmatch(plain); m != nil {
		r = resolved{kind: value.Number, integer: true}
		if len(plain) > value.MaxNumberLength { // converting takes more than linear time
			r.text = plain
		} else {
			r.text = convertBase(m)
		}
	} else if m := decimal.FindStringSubmatch(plain); m != nil && (m[2] != "" || m[3] != "") {
		r = resolved{kind: value.Number, integer: m[3] == "" && m[4] == "" && !strings.Contains(plain, "."), text: convertDecimal(m)}
	} else {
		return resolved{kind: value.String, text: text}
	}
	if why := value.CheckNumber(r.text); why != "" {
		r.code, r.problem = dovetail.CodeTooLarge, why
	}
	return r
}

func convertBase(m []string) string {
	sign := strings.TrimPrefix(m[1], "+")
	digits, base := m[2], 16
	switch {
	case m[3] != "":
		digits, base = m[3], 8
	case m[4] != "":
		digits, base = m[4], 2
	}
	n, _ := new(big.Int).SetString(sign+digits, base)
	return n.String()
}

func convertDecimal(m []string) string {
	whole := strings.TrimLeft(m[2], "0")
	if whole == "" {
		whole = "0"
	}
	text := strings.TrimPrefix(m[1], "+") + whole
	if m[3] != "" {
		text += "." + m[3]
	}
	return text + m[4]
}
