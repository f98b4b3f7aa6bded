package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/dovetail-store/dovetail/src/value"
)

// explain puts an error of the JSON Schema library in plain words; nil for one that only groups
// others. Data is what was validated.
func explain(e *jsonschema.ValidationError, data *value.Value) []violation {
	path := e.InstanceLocation
	one := func(format string, args ...any) []violation {
		return []violation{{path: path, message: fmt.Sprintf(format, args...)}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		if len(e.Causes) > 0 {
			return nil
		}
	case *kind.Required:
		return each(k.Missing, func(name string) violation {
			return violation{path: path, message: fmt.Sprintf("the member %q is missing", name)}
		})
	case *kind.AdditionalProperties:
		return each(k.Properties, func(name string) violation {
			return violation{path: append(slices.Clip(path), name), message: "is not a known member"}
		})
	case *kind.Type:
		return one("must be %s, not %s", strings.Join(withArticles(k.Want), " or "), withArticle(k.Got))
	case *kind.Enum:
		return one("must be one of %s", strings.Join(literals(k.Want), ", "))
	case *kind.Const:
		return one("must be %s", literal(k.Want))
	case *kind.AnyOf:
		return one("%s", forms(e, data))
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return one("fits more than one of the forms of which exactly one is allowed")
		}
		return one("%s", forms(e, data))
	case *kind.Not:
		return one("is of a form that is not allowed here")
	case *kind.FalseSchema:
		return one("is not allowed here")
	case *kind.RefCycle:
		return one("cannot be checked, because its schema refers to itself in a circle")
	case *kind.PropertyNames:
		// The library reuses the location of this one error, so that it may say anything but its length.
		path = ownerOf(data, len(path), k.Property)
		return one("the name of its member %q is not allowed", k.Property)
	case *kind.DependentRequired:
		return each(k.Missing, func(name string) violation {
			return violation{path: path, message: fmt.Sprintf("the member %q is missing, which %q needs", name, k.Prop)}
		})
	}
	if message := explainSize(e.ErrorKind); message != "" {
		return one("%s", message)
	}
	return one("does not follow the schema's rule %q", strings.Join(e.ErrorKind.KeywordPath(), "/"))
}

// explainSize puts the rules on one string, number, list or object by itself in words; "" for others.
func explainSize(rule jsonschema.ErrorKind) string {
	switch k := rule.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.Pattern:
		return fmt.Sprintf("must match the regular expression %s", short(k.Want))
	case *kind.Format:
		if k.Want == "regex" {
			return "must be a regular expression in the syntax of RE2"
		}
		return fmt.Sprintf("must have the format %s", k.Want)
	case *kind.Minimum:
		return "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("must have different items, but those at %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "member"), k.Got)
	}
	return ""
}

// forms says why none of several forms fits, as long as that stays readable.
func forms(e *jsonschema.ValidationError, data *value.Value) string {
	const readable = 4
	var why []string
	for _, cause := range e.Causes {
		if len(why) > readable {
			break
		}
		for _, v := range violations(cause, data) {
			text := v.message
			if len(v.path) > len(e.InstanceLocation) {
				text = value.Pointer(v.path[len(e.InstanceLocation):]...) + " " + text
			}
			if !slices.Contains(why, text) {
				why = append(why, text)
			}
		}
	}
	if len(why) == 0 || len(why) > readable {
		return "fits none of the forms that are allowed here"
	}
	return "fits none of the forms that are allowed here: " + strings.Join(why, "; or ")
}

func each(names []string, what func(string) violation) []violation {
	var all []violation
	for _, name := range names {
		all = append(all, what(name))
	}
	return all
}

func withArticles(types []string) []string {
	var all []string
	for _, t := range types {
		all = append(all, withArticle(t))
	}
	return all
}

// withArticle names a type of JSON Schema.
func withArticle(name string) string {
	switch name {
	case "null":
		return name
	case "array":
		return "a list"
	case "object", "integer":
		return "an " + name
	}
	return "a " + name
}

func literals(all []any) []string {
	var texts []string
	for _, v := range all {
		texts = append(texts, literal(v))
	}
	return texts
}

// literal shows a value as JSON.
func literal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// decimal shows a number without a fraction bar, exact where it is an integer.
func decimal(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return fmt.Sprint(f)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
