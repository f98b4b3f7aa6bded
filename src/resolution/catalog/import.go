package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// The schemas of the documents that are read; others are passed over, as catalogs allow.
const (
	schemaPackage      = "olm.package"
	schemaChannel      = "olm.channel"
	schemaBundle       = "olm.bundle"
	schemaDeprecations = "olm.deprecations"
)

// pkg gathers what the documents say about one package.
type pkg struct {
	name       string
	from       *blob // its olm.package, nil until it is found
	bundles    []*bundle
	byName     map[string]*bundle
	versions   map[string]bool // of the bundles
	channels   []blob
	names      map[string]bool // of the channels
	deprecated bool
	outdated   map[string]bool // the deprecated channels
	notices    []blob          // its olm.deprecations
}

// bundle is a version of a package.
type bundle struct {
	from       blob
	version    string
	properties []*value.Value
	depends    []*value.Value
	channels   distinct
	succeeds   distinct // versions, the first is the one that it replaces if replaces is set
	replaces   string
	ranges     distinct
	deprecated bool
}

// distinct are texts in the order in which they came first. Most bundles have few, but one may have as many as the catalog has bundles.
type distinct struct {
	texts []string
	seen  map[string]bool // nil for few
}

// add adds the text, unless it is there.
func (d *distinct) add(text string) {
	const few = 16
	switch {
	case d.seen[text], d.seen == nil && slices.Contains(d.texts, text):
		return
	case d.seen == nil && len(d.texts) == few:
		d.seen = make(map[string]bool)
		for _, t := range d.texts {
			d.seen[t] = true
		}
	}
	if d.seen != nil {
		d.seen[text] = true
	}
	d.texts = append(d.texts, text)
}

type importer struct {
	packages map[string]*pkg
	charge   func(values int) error // nil if there is none
	steps    int
	stopped  error
	problems dovetail.Errors
	warnings []*dovetail.Error
}

// Import makes the Source document called name of the files of a catalog: {name, packages}. Packages
// and channels come by name, versions in the order of the catalog. A bundle in no channel cannot be
// selected and is left out. A version is deprecated if its bundle is, or all its channels are. What
// a version succeeds is gathered from all its channels; a bundle that the catalog does not
// hold counts by the version at the end of its name, and not at all if there is none.
//
// A catalog without packages is refused: it is a wrong file or folder rather than one that takes all packages away.
//
// The error has the code CodeInvalid and tells all that is wrong: in single documents in the order of
// the files, then between the documents of a package by its name.
//
// The warnings name what was left out, with its place: ranges of skipped versions that cannot be read.
func Import(name string, files ...File) (source *value.Value, warnings []*dovetail.Error, err error) {
	return ImportWithin(value.Limits{}, name, files...)
}

// ImportWithin is Import of files each of which is within the limits. It ends with the error of their Charge, which is
// called every few hundred documents and entries, too.
func ImportWithin(limits value.Limits, name string, files ...File) (source *value.Value, warnings []*dovetail.Error, err error) {
	blobs, problems := read(files, limits)
	if problems.Full() {
		return nil, nil, problems.Err("invalid catalog")
	}
	im := &importer{packages: map[string]*pkg{}, charge: limits.Charge, problems: problems}
	for _, b := range blobs {
		if im.ended() {
			return nil, nil, im.stopped
		}
		im.sort(b)
	}
	packages := value.NewList()
	names := make([]string, 0, len(im.packages))
	for n := range im.packages {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		p := im.packages[n]
		if im.link(p); im.stopped != nil {
			return nil, nil, im.stopped
		}
		packages.Items = append(packages.Items, p.document())
	}
	if err := im.problems.Err("invalid catalog"); err != nil {
		return nil, nil, err
	}
	if len(packages.Items) == 0 { // in whose place nothing would be put
		return nil, nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the catalog has no packages", Remedy: "give documents of the schemas olm.package and olm.bundle; to have no packages, delete the source"}
	}
	return value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: "packages", Value: packages}), im.warnings, nil
}

// stepsBetween is after how many documents and entries Charge is called.
const stepsBetween = 256

// ended counts a step, and reports whether to take no more.
func (im *importer) ended() bool {
	if im.stopped == nil && im.charge != nil && im.steps%stepsBetween == 0 {
		im.stopped = im.charge(0)
	}
	im.steps++
	return im.stopped != nil
}

// warn notes what is left out.
func (im *importer) warn(b blob, v *value.Value, format string, args ...any) {
	im.warnings = append(im.warnings, &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf(format, args...), Position: v.In(b.file)})
}

func (im *importer) refuse(b blob, v *value.Value, remedy, format string, args ...any) {
	if im.problems.Full() {
		im.problems.Count(1)
		return
	}
	if v == nil {
		v = b.doc
	}
	im.problems.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf(format, args...), Position: v.In(b.file), Remedy: remedy})
}

// text returns a member that has to be a text that is not empty.
func (im *importer) text(b blob, in *value.Value, member string) string {
	s := str(in, member)
	if s == "" {
		im.refuse(b, in, "add it", "%s has no %s", cmp.Or(str(b.doc, "schema"), "this document"), member)
	}
	return s
}

// str returns a member if it is a text, and "" otherwise. items does so for lists.
func str(in *value.Value, member string) string {
	if v := get(in, member); v != nil {
		s, _ := v.Str()
		return s
	}
	return ""
}

func items(in *value.Value, member string) []*value.Value {
	if v := get(in, member); v != nil {
		return v.Items
	}
	return nil
}

func get(in *value.Value, member string) *value.Value {
	if in == nil || in.Kind != value.Map {
		return nil
	}
	return in.Get(member)
}

// sort puts a document to its package.
func (im *importer) sort(b blob) {
	schema := im.text(b, b.doc, "schema")
	member := "package"
	switch schema {
	case schemaPackage:
		member = "name"
	case schemaChannel, schemaBundle, schemaDeprecations:
	default:
		return
	}
	name := im.text(b, b.doc, member)
	if name == "" {
		return
	}
	p := im.packages[name]
	if p == nil {
		p = &pkg{name: name, byName: map[string]*bundle{}, versions: map[string]bool{}, names: map[string]bool{}, outdated: map[string]bool{}}
		im.packages[name] = p
	}
	switch schema {
	case schemaPackage:
		if p.from != nil {
			im.refuse(b, nil, "keep one", "duplicate package %s", name)
		}
		p.from = &b
	case schemaChannel:
		p.channels = append(p.channels, b)
	case schemaDeprecations:
		p.notices = append(p.notices, b)
	case schemaBundle:
		im.bundle(p, b)
	}
}

// link connects the bundles of a package, once all are known, by its channels and deprecations.
func (im *importer) link(p *pkg) {
	if p.from == nil {
		im.refuse(im.any(p), nil, "add its "+schemaPackage, "package %s is not described", p.name)
	}
	for _, b := range p.channels {
		if im.ended() {
			return
		}
		channel := im.text(b, b.doc, "name")
		if p.names[channel] {
			im.refuse(b, nil, "keep one", "channel %s of duplicate package %s", channel, p.name)
		}
		p.names[channel] = true
		for _, entry := range items(b.doc, "entries") {
			if im.ended() {
				return
			}
			im.entry(p, b, channel, entry)
		}
	}
	for _, b := range p.notices {
		for _, entry := range items(b.doc, "entries") {
			if im.ended() {
				return
			}
			im.deprecate(p, b, get(entry, "reference"))
		}
	}
}

// any is a document that mentions the package.
func (im *importer) any(p *pkg) blob {
	for _, list := range [][]blob{p.channels, p.notices} {
		if len(list) > 0 {
			return list[0]
		}
	}
	if len(p.bundles) > 0 {
		return p.bundles[0].from
	}
	return blob{doc: value.NullValue()}
}

func (im *importer) entry(p *pkg, b blob, channel string, entry *value.Value) {
	name := im.text(b, entry, "name")
	of := p.byName[name]
	if of == nil {
		if name != "" {
			im.refuse(b, entry, "add the bundle or take the entry away", "channel %s of package %s has the bundle %s, which does not exist", channel, p.name, name)
		}
		return
	}
	of.channels.add(channel)
	if v := p.versionOf(str(entry, "replaces")); v != "" {
		if of.replaces == "" {
			of.replaces = v
		}
		of.succeed(v)
	}
	for _, skipped := range items(entry, "skips") {
		if im.ended() {
			return
		}
		text, _ := skipped.Str()
		of.succeed(p.versionOf(text))
	}
	text, err := Range(str(entry, "skipRange"))
	if err != nil {
		im.warn(b, get(entry, "skipRange"), "skipRange of %s counts as absent: %s", name, dovetail.AsError(err).Message)
	} else if text != "" {
		of.ranges.add(text)
	}
}

func (b *bundle) succeed(version string) {
	if version != "" {
		b.succeeds.add(version)
	}
}

// versionAtEnd is the version in the usual name of a bundle, as etcd.v1.2.3.
var versionAtEnd = regexp.MustCompile(`\.v?(\d+\.\d+\.\d+.*)$`)

// versionOf is the version of the bundle of that name, "" when it is not known. The name of a bundle that the catalog does not hold tells
// its version, unless a bundle of another name has that: references are by name.
func (p *pkg) versionOf(name string) string {
	if b := p.byName[name]; b != nil {
		return b.version
	}
	m := versionAtEnd.FindStringSubmatch(name)
	if m != nil && version.MatchString(m[1]) && !p.versions[m[1]] {
		return m[1]
	}
	return ""
}

func (im *importer) deprecate(p *pkg, b blob, reference *value.Value) {
	name := str(reference, "name")
	switch schema := str(reference, "schema"); schema {
	case schemaPackage:
		p.deprecated = true
	case schemaChannel:
		p.outdated[name] = true
	case schemaBundle:
		if of := p.byName[name]; of != nil {
			of.deprecated = true
			return
		}
		im.refuse(b, reference, "name a bundle of the package", "bundle %q is deprecated but does not exist", name)
	default:
		im.refuse(b, reference, "refer to a package, a channel or a bundle", "a deprecation refers to %q", schema)
	}
}

// document is the package as it stands in a Source.
func (p *pkg) document() *value.Value {
	doc := value.NewMap(value.Member{Name: "name", Value: value.NewString(p.name)})
	if p.from != nil {
		if channel := str(p.from.doc, "defaultChannel"); channel != "" {
			doc.Set("defaultChannel", value.NewString(channel))
		}
	}
	if p.deprecated {
		doc.Set("deprecated", value.NewBool(true))
	}
	versions := value.NewList()
	for _, b := range p.bundles {
		if len(b.channels.texts) > 0 {
			versions.Items = append(versions.Items, p.version(b))
		}
	}
	doc.Set("versions", versions)
	return doc
}

func (p *pkg) version(b *bundle) *value.Value {
	slices.Sort(b.channels.texts)
	doc := value.NewMap(value.Member{Name: "version", Value: value.NewString(b.version)}, value.Member{Name: "channels", Value: texts(b.channels.texts)})
	if image := str(b.from.doc, "image"); image != "" {
		doc.Set("image", value.NewString(image))
	}
	current := func(channel string) bool { return !p.outdated[channel] }
	if b.deprecated || !slices.ContainsFunc(b.channels.texts, current) {
		doc.Set("deprecated", value.NewBool(true))
	}
	if b.replaces != "" {
		doc.Set("replaces", value.NewString(b.replaces))
	}
	skips := slices.DeleteFunc(slices.Clone(b.succeeds.texts), func(v string) bool { return v == b.replaces })
	if len(skips) > 0 {
		doc.Set("skips", texts(skips))
	}
	if len(b.ranges.texts) > 0 {
		doc.Set("skipRange", value.NewString(strings.Join(b.ranges.texts, " || ")))
	}
	if len(b.properties) > 0 {
		doc.Set("properties", value.NewList(b.properties...))
	}
	if len(b.depends) > 0 {
		doc.Set("dependencies", value.NewList(b.depends...))
	}
	return doc
}

func texts(list []string) *value.Value {
	v := value.NewList()
	for _, s := range list {
		v.Items = append(v.Items, value.NewString(s))
	}
	return v
}
