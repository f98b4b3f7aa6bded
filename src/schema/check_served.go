package schema

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// verbs are what methods may speak of; codes the success codes it may give them.
var (
	verbs = []string{"DELETE", "DELETE-COLLECTION", "GET", "LIST", "PATCH", "POST", "POST-ITEM", "PUT"}
	codes = []int{200, 201, 202, 204}
)

// served checks where and how a resource is served.
func (c *checker) served(r *resource) {
	for i := range r.served {
		c.place(r, &r.served[i])
	}
	c.methods(r, r.methods)
	seen := make(map[string]bool)
	for i := range r.actions {
		a := &r.actions[i]
		c.action(r, a)
		if key := a.method.value + " " + a.path.value; seen[key] {
			c.add(FaultBadValue, a.path.at, "remove one of the two", "%s: duplicate action %s", r.name.value, short(a.path.value))
		} else {
			seen[key] = true
		}
	}
}

// place checks one collection: its path, and that path and fixed together give the whole key.
func (c *checker) place(r *resource, p *place) {
	subject := r.name.value
	if path := p.path.value; path != "" {
		p.broken = !c.path(subject, p.path, strings.TrimPrefix(path, "/"))
	}
	if p.alias.value != "" {
		p.broken = !c.path(subject, p.alias, p.alias.value) || p.broken
	}
	c.methods(r, p.methods)

	own := len(r.elements) - len(r.own)
	free, above := r.own[:len(r.own)-1], r.elements[:own]
	if !strings.HasPrefix(p.path.value, "/") {
		above = nil // they are in the URL
	}
	missing := slices.Clone(above)
	for _, kv := range p.fixed {
		name := kv.name.value
		if why := dovetail.CheckValue(kv.value.value); why != "" {
			c.add(FaultBadValue, kv.value.at, "give it a value that a key can have", "%s: the value of %s %s", subject, short(name), why)
		}
		if !slices.Contains(free, name) && !slices.Contains(above, name) {
			c.add(FaultBadValue, kv.name.at, didYouMean(name, append(slices.Clone(free), above...), "remove it"),
				"%s: fixed cannot say %s here: it must be an element of the key that is not in the URL", subject, short(name))
			p.broken = true
		}
		missing = slices.DeleteFunc(missing, func(m string) bool { return m == name })
	}
	if len(missing) > 0 {
		c.add(FaultBadValue, p.path.at, `say it in fixed, or remove the "/" at the beginning of the path`,
			"%s: neither the path nor fixed gives %s", subject, enumerate(missing))
		p.broken = true
	}
}

// path checks the segments of a path, and reports whether they are right.
func (c *checker) path(subject string, written text, path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if !isSegment(segment) {
			c.add(FaultBadValue, written.at, "use letters, digits, '-', '_', '.' and '~' between single slashes",
				"%s: %s is not a path", subject, short(written.value))
			return false
		}
	}
	return true
}

// isSegment reports whether the text is one segment of a URL that needs no escaping.
func isSegment(text string) bool {
	if text == "" || text == "." || text == ".." || len(text) > dovetail.MaxValueLength {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.~", rune(c)) {
			return false
		}
	}
	return true
}

func (c *checker) methods(r *resource, methods []method) {
	for _, m := range methods {
		if !slices.Contains(verbs, m.verb.value) {
			c.add(FaultBadValue, m.verb.at, didYouMean(m.verb.value, verbs, "the verbs are "+enumerate(verbs)),
				"%s: unknown method %s", r.name.value, short(m.verb.value))
		}
		c.code(r, m.code)
	}
}

func (c *checker) action(r *resource, a *action) {
	if a.path.value == "" && !a.path.bad {
		c.add(FaultBadValue, a.path.at, `add "path: ..."`, "%s: an action has no path", r.name.value)
	} else if !a.path.bad {
		c.path(r.name.value, a.path, a.path.value)
	}
	if method := a.method.value; !a.method.bad && method != "GET" && method != "POST" {
		c.add(FaultBadValue, a.method.at, "write GET or POST", "%s: an action cannot have the method %s", r.name.value, short(method))
	}
	c.code(r, a.code)
}

func (c *checker) code(r *resource, code number) {
	if code.at.Line > 0 && !slices.Contains(codes, code.value) {
		c.add(FaultBadValue, code.at, "write 200, 201, 202 or 204", "%s: %d is not a success code", r.name.value, code.value)
	}
}

// content checks the names of file parts. Stored documents hold them beside the key elements.
func (c *checker) content(r *resource) {
	for i, file := range r.content {
		name := file.name.value
		same := func(p part) bool { return p.name.value == name }
		switch {
		case !dovetail.IsElementName(name) || len(name) > maxNameLength:
			c.add(FaultBadName, file.name.at, "use letters, digits, '-' and '_', with a letter or digit at both ends",
				"%s: %s cannot name a content part", r.name.value, short(name))
		case name == "metadata" || slices.Contains(reserved, name) || slices.Contains(r.elements, name):
			c.add(FaultReservedName, file.name.at, "choose another name",
				"%s: the name %s is taken: documents use it", r.name.value, short(name))
		case slices.ContainsFunc(r.content[:i], same):
			c.add(FaultBadValue, file.name.at, "remove one of the two", "%s: duplicate content part %s", r.name.value, short(name))
		}
	}
}

// abstract checks that a kind without documents says nothing about them.
func (c *checker) abstract(r *resource) {
	if r.abstract && (len(r.references)+len(r.methods)+len(r.actions)+len(r.content) > 0 || r.schema != nil || r.managed || r.lifecycle != nil || r.sensitive.at.Line > 0 || len(r.inputs) > 0 || r.history.at.Line > 0) {
		c.add(FaultBadValue, r.name.at, "remove abstract, or references, methods, actions, content, schema, managed, lifecycle, sensitive, inputs and history",
			"%s: an abstract kind has no documents, but something is said about them", r.name.value)
	}
}
