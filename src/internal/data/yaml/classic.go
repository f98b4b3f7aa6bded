package yaml

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ParseClassic is Parse by the rules of YAML 1.1 for plain scalars: yes, no, on and off are booleans, 010 is octal, 1_000 and
// 1:30 are integers. Times are strings, as they are written.
func ParseClassic(file string, data []byte, limits value.Limits) ([]*value.Value, error) {
	return parseClassic(&converter{classic: true}, file, data, limits)
}

// ParseJava is ParseClassic as SnakeYAML reads: of a duplicate key the last one counts. Hidden are the places of the others.
func ParseJava(file string, data []byte, limits value.Limits) (values []*value.Value, hidden []dovetail.Position, err error) {
	c := &converter{classic: true, last: true}
	values, err = parseClassic(c, file, data, limits)
	for i := range c.hidden {
		c.hidden[i].File = file
	}
	return values, c.hidden, err
}

// ParsePython is ParseClassic as PyYAML reads: the last of duplicate keys counts, keys are resolved as values are, a number
// with an exponent has a dot and a sign in the exponent, and a document without content is null.
func ParsePython(file string, data []byte, limits value.Limits) ([]*value.Value, error) {
	return parseClassic(&converter{classic: true, python: true, last: true}, file, data, limits)
}

// ParseKubernetes is ParseClassic as kubectl, kustomize and Helm read, with sigs.k8s.io/yaml: y and n are booleans, too, 0o10 is octal,
// and 22:22 is a string.
func ParseKubernetes(file string, data []byte, limits value.Limits) ([]*value.Value, error) {
	return parseClassic(&converter{classic: true, tools: true}, file, data, limits)
}

func parseClassic(c *converter, file string, data []byte, limits value.Limits) ([]*value.Value, error) {
	limits = limits.WithDefaults()
	var values []*value.Value
	var errs dovetail.Errors
	if c.python || c.tools {
		values, errs = parseWhole(c, data, limits)
	} else {
		values, errs = parse(c, data, limits)
	}
	if errs.Total() == 0 {
		return values, nil
	}
	for _, err := range errs.Kept() {
		err.Position.File = file
	}
	errs.Sort(func(a, b *dovetail.Error) int {
		return cmp.Or(a.Position.Line-b.Position.Line, a.Position.Column-b.Position.Column)
	})
	return nil, errs.Err("invalid YAML")
}

// parseWhole reads everything with the library.
func parseWhole(c *converter, data []byte, limits value.Limits) ([]*value.Value, dovetail.Errors) {
	if err := check(data, limits); err != nil {
		return nil, only(err)
	}
	var m meter
	values, errs := parseStream(c, data, m.start(limits), &m)
	if m.err != nil {
		return nil, only(m.err)
	}
	return values, errs
}

var (
	classicInt   = regexp.MustCompile(`^(?:[-+]?0b_*[0-1][0-1_]*|[-+]?0_*[0-7][0-7_]*|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x_*[0-9a-fA-F][0-9a-fA-F_]*|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	classicFloat = regexp.MustCompile(`^(?:[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?(?:[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)|[-+]?\.[0-9_]+(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
	classicTime  = regexp.MustCompile(`^(?:[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]|[0-9][0-9][0-9][0-9]-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9][0-9])?))?)$`)
)

// classicText reports whether a plain scalar is a string by YAML 1.1.
func classicText(text string) bool {
	switch text {
	case "", "~", "null", "Null", "NULL", "<<", "=":
		return false
	}
	return !classicBool(text) && (!mayBeNumber(text) || !classicInt.MatchString(text) && !classicFloat.MatchString(text) && !classicTime.MatchString(text))
}

// classicBool reports whether a plain scalar is a boolean by YAML 1.1.
func classicBool(text string) bool {
	switch text {
	case "yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}

// mayBeNumber reports whether a text begins as numbers and times do; the patterns of these need not be tried on others.
func mayBeNumber(text string) bool {
	c := text[0]
	return c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'
}

// resolveClassic is resolve by YAML 1.1.
func resolveClassic(text string) resolved {
	switch {
	case text == "" || text == "~" || text == "null" || text == "Null" || text == "NULL":
		return resolved{kind: value.Null}
	case classicBool(text):
		c := strings.ToLower(text)
		return resolved{kind: value.Bool, text: strconv.FormatBool(c == "yes" || c == "true" || c == "on")}
	case !mayBeNumber(text):
	case classicInt.MatchString(text):
		return resolved{kind: value.Number, text: classicInteger(strings.ReplaceAll(text, "_", "")), integer: true}
	case classicFloat.MatchString(text):
		if strings.Contains(text, ":") {
			return resolved{kind: value.Number, text: sexagesimal(strings.ReplaceAll(text, "_", ""))}
		}
		if r := resolve(strings.ReplaceAll(text, "_", "")); r.kind == value.Number || r.problem != "" {
			if r.problem == "" && !strings.ContainsAny(r.text, ".eE") { // 1. is a float, and stays one
				r.text += ".0"
			}
			return r
		}
	}
	return resolved{kind: value.String, text: text}
}

// pythonText reports whether PyYAML takes a number of YAML 1.1 for a string: its exponents have a sign, after a number with a dot.
func pythonText(text string) bool {
	if len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1] == '.' { // of which it knows none with a sign
		return true
	}
	mantissa, exponent, has := strings.Cut(strings.ToLower(text), "e")
	return has && !strings.HasPrefix(strings.TrimLeft(text, "+-"), "0x") && (!strings.Contains(mantissa, ".") || !strings.HasPrefix(exponent, "+") && !strings.HasPrefix(exponent, "-"))
}

// resolveTools is what ParseKubernetes makes of a plain scalar that resolveClassic resolved.
func resolveTools(text string, r resolved) resolved {
	switch {
	case text == "y" || text == "Y" || text == "n" || text == "N":
		return resolved{kind: value.Bool, text: strconv.FormatBool(text == "y" || text == "Y")}
	case r.kind == value.Number && strings.Contains(text, ":"):
		return resolved{kind: value.String, text: text}
	case toolsOctal.MatchString(text):
		return resolved{kind: value.Number, text: classicInteger(strings.ReplaceAll(text, "_", "")), integer: true}
	}
	if plain := strings.ReplaceAll(text, "_", ""); r.kind == value.String && toolsFloat.MatchString(plain) && text[0] != '_' {
		if f, err := strconv.ParseFloat(plain, 64); err == nil { // 08, which is no octal number, and -.5
			return resolved{kind: value.Number, text: strconv.FormatFloat(f, 'g', -1, 64)}
		}
	}
	return r
}

var toolsFloat = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)

var toolsOctal = regexp.MustCompile(`^[-+]?0o[0-7][0-7_]*$`)

// classicInteger is the JSON number of an integer.
func classicInteger(text string) string {
	digits, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	n := new(big.Int)
	if strings.Contains(digits, ":") {
		for _, part := range strings.Split(digits, ":") {
			next, _ := new(big.Int).SetString(part, 10)
			n.Add(n.Mul(n, big.NewInt(60)), next)
		}
	} else {
		n.SetString(digits, 0) // which knows 0x, 0b and 0 as Go does
	}
	if negative {
		n.Neg(n)
	}
	return n.String()
}

// sexagesimal is the JSON number of a float that has hours and minutes.
func sexagesimal(text string) string {
	digits, negative := strings.CutPrefix(strings.TrimPrefix(text, "+"), "-")
	sum, base := 0.0, 1.0
	for _, part := range slices.Backward(strings.Split(digits, ":")) {
		f, _ := strconv.ParseFloat(part, 64) // which the pattern has made sure of
		sum += f * base
		base *= 60
	}
	if negative {
		sum = -sum
	}
	text = strconv.FormatFloat(sum, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
