package effectiveset

import (
	"regexp"
	"strings"

	"github.com/dovetail-store/dovetail/src/value"
)

// part is a piece of a string: a text, or what a macro refers to.
type part struct {
	text  string
	value *value.Value // nil for a text
}

// expand resolves the macros of a string. One that is a single reference has the type of what it refers to.
func (s *scope) expand(v *value.Value, file string) (*value.Value, error) {
	if !strings.ContainsAny(v.Text, `$\`) {
		return v, nil
	}
	parts, err := s.parts(v, file)
	if err != nil {
		return nil, err
	}
	var only *value.Value
	alone := true
	for _, p := range parts {
		switch {
		case p.value != nil && only == nil:
			only = p.value
		case p.value != nil || !blank(p.text):
			alone = false
		}
	}
	if only != nil && alone {
		return s.c.copied(only, v.In(file))
	}
	made := *v
	var b strings.Builder
	secret := false
	for _, p := range parts {
		if p.value == nil {
			b.WriteString(p.text)
			continue
		}
		text := javaText(p.value)
		if err := s.c.budget.take(len(text), 0, v.In(file)); err != nil {
			return nil, err
		}
		b.WriteString(text)
		secret = secret || s.c.isSecret(p.value)
	}
	made.Text = b.String()
	if secret {
		s.c.secrets[&made] = true
	}
	return &made, nil
}

// parts divides a string into texts and references.
func (s *scope) parts(v *value.Value, file string) ([]part, error) {
	var parts []part
	plain := func(t string) {
		if n := len(parts); n > 0 && parts[n-1].value == nil {
			parts[n-1].text += t
			return
		}
		parts = append(parts, part{text: t})
	}
	for rest := v.Text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `\$`), strings.HasPrefix(rest, `\\`):
			plain(rest[1:2])
			rest = rest[2:]
		case strings.HasPrefix(rest, "$$"):
			plain("$$")
			rest = rest[2:]
		case strings.HasPrefix(rest, "$"):
			expression, length, err := macroAt(rest, v, file)
			if err != nil {
				return nil, err
			}
			if length == 0 {
				plain("$")
				rest = rest[1:]
				continue
			}
			found, err := s.reference(expression, v, file)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{value: found})
			rest = rest[length:]
		default:
			end := strings.IndexAny(rest[1:], `$\`)
			if end < 0 {
				end = len(rest) - 1
			}
			plain(rest[:end+1])
			rest = rest[end+1:]
		}
	}
	return parts, nil
}

// macroAt reads the macro that a text begins with, and how long it is; 0 where the dollar is a text.
func macroAt(rest string, v *value.Value, file string) (expression string, length int, err error) {
	if strings.HasPrefix(rest, "${") {
		end := closing(rest)
		if end < 0 {
			return "", 0, invalid(v.In(file), "the macro %s has no end", shortened(rest))
		}
		return strings.TrimSpace(rest[2:end]), end + 1, nil
	}
	name := bareName.FindString(rest[1:])
	switch {
	case len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		return "", 0, invalid(v.In(file), `a $ before a digit is an error in EnvGene's calculator: write \$`)
	case name == "":
		return "", 0, nil
	}
	if after, is := strings.CutPrefix(rest[1+len(name):], "."); is && bareName.MatchString(after) {
		full := name + "." + bareName.FindString(after)
		return "", 0, invalid(v.In(file), "$%s is no reference: write it as ${%s}", shortened(full), shortened(full))
	}
	return name, 1 + len(name), nil
}

// shortened is the text of a macro as messages show it.
func shortened(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// closing returns where a macro ends that a text begins with, outside of quotes.
func closing(text string) int {
	var quote byte
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '}':
			return i
		}
	}
	return -1
}

var (
	bareName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	dotted    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(?:\s*\.\s*[A-Za-z_][A-Za-z0-9_]*)*$`)
	credsCall = regexp.MustCompile(`^(?:cmdb\s*\.\s*)?creds\s*\.\s*get\s*\(\s*(?:"([^"]*)"|'([^']*)')\s*\)\s*\.\s*([A-Za-z_]+)$`)
)

// reference returns what an expression refers to.
func (s *scope) reference(expression string, v *value.Value, file string) (*value.Value, error) {
	if m := credsCall.FindStringSubmatch(expression); m != nil {
		id := m[1] + m[2]
		cred := s.c.repo.credentials[id]
		if cred == nil {
			return nil, s.c.unknownCredential(id, v.In(file))
		}
		return s.c.field(cred, m[3], v.In(file))
	}
	if strings.HasPrefix(expression, "envgen.creds") {
		return nil, invalid(v.In(file), "${%s} is a macro of templates, which EnvGene rewrites when it makes the instance", shortened(expression))
	}
	if !dotted.MatchString(expression) {
		err := invalid(v.In(file), "${%s} is an expression that is not calculated here: only names, paths of levels and creds.get(...) are", shortened(expression))
		err.Remedy = "write it without methods and operators"
		return nil, err
	}
	names := strings.Split(expression, ".")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	found, rest, err := s.lookUp(names, v, file)
	if err != nil {
		return nil, err
	}
	for _, name := range rest {
		next := found.Get(name)
		if next == nil {
			return nil, invalid(v.In(file), "${%s}: there is no %s", shortened(expression), shortened(name))
		}
		found = next
	}
	return found, nil
}
