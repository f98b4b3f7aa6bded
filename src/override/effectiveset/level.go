package effectiveset

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/value"
)

// parameter is a value before its macros are resolved, and the file that it is from; "" for calculated ones.
type parameter struct {
	value *value.Value
	file  string
}

func (p parameter) at() dovetail.Position { return p.value.In(p.file) }

// parameters are those of one level, or of several that were merged, by their names.
type parameters map[string]parameter

// hard sets a calculated parameter, also where the user has set one.
func (c *calculation) hard(to parameters, name string, v *value.Value) {
	if was, set := to[name]; set && was.file != "" {
		c.find(ValueReplaced, was.at(), name+" is calculated: the value here has no effect")
	}
	c.literal[v] = true
	to[name] = parameter{value: v}
}

// soft sets a calculated parameter where the user has set none.
func (c *calculation) soft(to parameters, name string, v *value.Value) {
	if _, set := to[name]; !set {
		c.literal[v] = true
		to[name] = parameter{value: v}
	}
}

func str(s string) *value.Value { return value.NewString(s) }

func boolean(b bool) *value.Value { return &value.Value{Kind: value.Bool, Text: strconv.FormatBool(b)} }

// user reads the parameters of an object: a member of it, such as deployParameters.
func (c *calculation) user(o *object, member string) (parameters, error) {
	p := make(parameters)
	if o == nil {
		return p, nil
	}
	var errs dovetail.Errors
	if v := o.data.Get(member); v != nil {
		if v.Kind != value.Map && v.Kind != value.Null {
			errs.Add(invalid(v.In(o.file), "%s is a %s, not a map", member, v.Kind))
		}
		for _, m := range v.Members {
			tellOnce(&errs, c.userParameter(p, m, o.file))
		}
	}
	for _, over := range o.over {
		if over.Member == member {
			for _, m := range over.Parameters.Members {
				before, had := p[m.Name]
				tellOnce(&errs, c.userParameter(p, m, over.source(m.Name, o.file)))
				if now := p[m.Name]; had && now.value != before.value {
					c.replaced[now.value] = before
				}
			}
		}
	}
	return p, errs.Err("the parameters of " + o.file + " cannot be read")
}

// userParameter reads a parameter of a file, or two where it names a credential.
func (c *calculation) userParameter(p parameters, m value.Member, file string) error {
	if strings.HasPrefix(m.Name, "#creds") {
		return c.credentialPair(p, m.Name, text(m.Value), file, m.In(file))
	}
	read, err := c.topLevel(m.Value, file)
	if err != nil {
		return err
	}
	c.lookAt(m.Name, read, file)
	p[m.Name] = parameter{read, file}
	return nil
}

// topLevel is a value as it becomes a parameter.
func (c *calculation) topLevel(v *value.Value, file string) (*value.Value, error) {
	made := *v
	switch v.Kind {
	case value.Null:
		made.Kind, made.Text = value.String, ""
	case value.Number:
		if isInteger(v.Text) {
			if _, err := strconv.ParseInt(v.Text, 10, 32); err != nil {
				c.find(LongInteger, v.In(file), "the integer "+v.Text+" has more than 32 bits, and becomes a string")
				made.Kind = value.String
			}
			return &made, nil
		}
		made.Text = decimal(v.Text)
	case value.String:
		return c.topLevelString(v, file)
	case value.Map, value.List:
		return below(v), nil
	case value.Bool:
	}
	return &made, nil
}

func isInteger(number string) bool { return !strings.ContainsAny(number, ".eE") }

// below is a value inside of a parameter.
func below(v *value.Value) *value.Value {
	made := *v
	switch v.Kind {
	case value.Number:
		if !isInteger(v.Text) {
			made.Text = decimal(v.Text)
		}
	case value.Map:
		made.Members = slices.Clone(v.Members)
		for i := range made.Members {
			made.Members[i].Value = below(v.Members[i].Value)
		}
	case value.List:
		made.Items = make([]*value.Value, len(v.Items))
		for i, item := range v.Items {
			made.Items[i] = below(item)
		}
	case value.Null, value.Bool, value.String:
	}
	return &made
}

var unescape = strings.NewReplacer(`\'`, "'", `\=`, "=", `\"`, `"`)

// topLevelString reads a string that is a parameter: it is trimmed, and what begins with an apostrophe has a structure.
func (c *calculation) topLevelString(v *value.Value, file string) (*value.Value, error) {
	s := unescape.Replace(trim(v.Text))
	made := *v
	made.Text = s
	rest, structured := strings.CutPrefix(s, "'")
	if !structured {
		return &made, nil
	}
	rest = strings.TrimSuffix(rest, "'")
	var values []*value.Value
	var err error
	if strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[") {
		var read *value.Value
		read, err = value.ParseJSON([]byte(rest), value.Limits{})
		values = []*value.Value{read}
	} else {
		values, err = yaml.ParseClassic(file, []byte(rest), value.Limits{})
	}
	if err != nil || len(values) > 1 {
		return nil, invalid(v.In(file), "a string that begins with an apostrophe is read as JSON or YAML, and this one is neither")
	}
	if len(values) == 0 {
		made.Text = ""
		return &made, nil
	}
	read := below(values[0])
	read.Place = v.Place
	return read, nil
}

// trim takes away what Java takes for blanks.
func trim(s string) string { return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' }) }

// credentialPair reads "#creds{USER, PASS}": two parameters, of the credential that the value names.
func (c *calculation) credentialPair(p parameters, key, id, file string, at dovetail.Position) error {
	prefix, names, found := strings.Cut(key, "{")
	names, closed := strings.CutSuffix(strings.TrimSpace(names), "}")
	pair := strings.Split(names, ",")
	if !found || !closed || len(pair) != 2 {
		return invalid(at, "%s is not of the form #creds{USER, PASSWORD}", key)
	}
	tenant, cloud := text(c.repo.tenant.data.Get("name")), text(c.repo.cloud.data.Get("name"))
	switch strings.TrimSpace(prefix) {
	case "#creds":
	case "#credscl":
		id = tenant + "-" + cloud + "-" + id
	case "#credsns":
		id = tenant + "-" + cloud + "-" + c.space + "-" + id
	default:
		return invalid(at, "%s is not one of #creds, #credscl and #credsns", prefix)
	}
	cred := c.repo.credentials[id]
	if cred == nil {
		return c.unknownCredential(id, at)
	}
	for i, field := range []string{"username", "password"} {
		v, err := c.field(cred, field, at)
		if err != nil {
			return err
		}
		p[strings.TrimSpace(pair[i])] = parameter{v, file}
	}
	return nil
}

// lookAt notes what the user should know about a value.
func (c *calculation) lookAt(name string, v *value.Value, file string) {
	switch v.Kind {
	case value.String:
		if strings.Contains(v.Text, "<%") || strings.Contains(v.Text, "<<") || strings.Contains(v.Text, ">>") {
			c.find(TemplateSyntax, v.In(file), name+" has <%, << or >>, which EnvGene's template engine may take for its own")
		}
		if v.Text == notEntered {
			c.find(ValueNotEntered, v.In(file), name+" is the placeholder for a value that was not entered yet")
		}
	case value.Map:
		for _, m := range v.Members {
			switch strings.ToLower(m.Name) {
			case "yes", "no", "on", "off", "true", "false":
				c.find(AmbiguousKey, dovetail.Position{File: file, Line: int(m.Line), Column: int(m.Column)}, "the key "+m.Name+" below "+name+" is a boolean in YAML 1.1: unless it is in quotes EnvGene's run breaks")
			}
			c.lookAt(name, m.Value, file)
		}
	case value.List:
		for _, item := range v.Items {
			c.lookAt(name, item, file)
		}
	case value.Null, value.Bool, value.Number:
	}
}
