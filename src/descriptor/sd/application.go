package sd

import (
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/value"
)

// Application is one entry of an SD's applications.
type Application struct {
	Name    string // of `version`, what stands before the first colon
	Version string // and all that follows it
	// DeployPostfix and Alias are "" when the entry has none.
	DeployPostfix string
	Alias         string
}

// EffectiveAlias is what deployGraph calls the application: its alias, otherwise its name and deploy
// postfix with a colon between, otherwise its name.
func (a Application) EffectiveAlias() string {
	switch {
	case a.Alias != "":
		return a.Alias
	case a.DeployPostfix != "":
		return a.Name + ":" + a.DeployPostfix
	}
	return a.Name
}

// String names the application in messages: "postgres:1.2 (deployPostfix db, alias main)".
func (a Application) String() string { return a.Name + ":" + a.Version + a.details() }

func (a Application) details() string {
	var parts []string
	if a.DeployPostfix != "" {
		parts = append(parts, "deployPostfix "+a.DeployPostfix)
	}
	if a.Alias != "" {
		parts = append(parts, "alias "+a.Alias)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// slot is what identifies an application in the basic modes, identity in an SD.
type (
	slot     struct{ name, deployPostfix string }
	identity struct{ name, deployPostfix, alias string }
)

func (a Application) slot() slot         { return slot{a.Name, a.DeployPostfix} }
func (a Application) identity() identity { return identity{a.Name, a.DeployPostfix, a.Alias} }

// model is the form in which an application is written.
type model uint8

const (
	modelNone    model = iota // no application
	modelText                 // "application:version"
	modelPostfix              // version, deployPostfix
	modelAlias                // version, deployPostfix, alias
)

func (m model) String() string {
	switch m {
	case modelText:
		return "a text"
	case modelPostfix:
		return "a map with deployPostfix"
	case modelAlias:
		return "a map with deployPostfix and alias"
	}
	return "no application"
}

// entry is an item of `applications`. It knows where it was read, also after it went into another SD.
type entry struct {
	Application
	model model
	value *value.Value
	at    place
	fault *dovetail.Error // why it is no application, with modelNone
}

// place is an item of a list in an SD.
type place struct {
	sd    *dovetail.Position // of the SD: file and path
	index int                // in applications
	at    value.Place
}

func (p place) position(members ...string) dovetail.Position {
	at := p.at.In(p.sd.File)
	at.Path = p.sd.Path + value.Pointer("applications", strconv.Itoa(p.index)) + value.Pointer(members...)
	return at
}

// readEntry reads an item of applications. The entry keeps the first error, since it depends on the mode whether that matters.
func (d *Descriptor) readEntry(f decode.Field, index int, errs *decode.Decoder) entry {
	e := entry{value: f.Value, at: place{sd: &d.origin, index: index, at: f.Value.Place}}
	errs.Errors = nil
	switch f.Kind() {
	case value.String:
		e.model = modelText
		e.readVersion(f)
	case value.Map:
		e.readMap(f)
	default:
		f.WrongType("a string or a map", `write it as "application:version", or as a map with version and deployPostfix`)
	}
	if errs.Errors != nil {
		e.model, e.fault = modelNone, errs.Errors.Kept()[0]
	}
	return e
}

func (e *entry) readMap(f decode.Field) {
	e.model = modelPostfix
	version := f.Get("version")
	e.readVersion(version)
	e.DeployPostfix, e.Alias = textOrNothing(f.Get("deployPostfix")), textOrNothing(f.Get("alias"))
	if e.DeployPostfix == "" && version.Kind() == value.String {
		f.Fail("add the deployPostfix", "the application %s has no deployPostfix", version.Value.Text)
	}
	if e.Alias != "" {
		e.model = modelAlias
	}
}

// readVersion splits "application:version".
func (e *entry) readVersion(f decode.Field) {
	text, ok := f.AnyText()
	e.Name, e.Version, _ = strings.Cut(text, ":")
	if ok && (e.Name == "" || e.Version == "") {
		f.Fail("write the name, a colon and the version", "%s is not of the form application:version", strconv.Quote(text))
	}
}

// textOrNothing reads a text that may be empty, "" when it is missing or null.
func textOrNothing(f decode.Field) string {
	if f.IsMissing() {
		return ""
	}
	text, _ := f.AnyText()
	return text
}

// memberPosition is where a member of the entry is, or the entry if it has no such member.
func (e *entry) memberPosition(name string) dovetail.Position {
	v := e.value.Get(name)
	if v == nil {
		return e.at.position()
	}
	at := e.at.position(name)
	if v.Line > 0 { // otherwise it went into another SD
		at.Line, at.Column = int(v.Line), int(v.Column)
	}
	return at
}

// withVersion returns the entry with another version and everything else as it was.
func (e *entry) withVersion(version string) entry {
	c := *e
	c.Version = version
	text := e.Name + ":" + version
	if e.model == modelText {
		c.value = textAt(text, e.value)
	} else {
		c.value = withMember(e.value, "version", textAt(text, e.value.Get("version")))
	}
	return c
}

// textAt makes a text that replaces another value.
func textAt(text string, of *value.Value) *value.Value {
	return &value.Value{Kind: value.String, Text: text, Place: of.Place}
}

// withMember copies a map with another value for a member that it has; the rest is shared.
func withMember(v *value.Value, name string, to *value.Value) *value.Value {
	c := *v
	c.Members = make([]value.Member, len(v.Members))
	copy(c.Members, v.Members)
	c.Set(name, to)
	return &c
}

// unplaced returns the entry for an SD in whose text it does not stand. Errors still tell where it
// was read.
func (e *entry) unplaced() entry {
	c := *e
	c.value = e.value.Unplaced()
	return c
}
