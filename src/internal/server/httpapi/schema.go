package httpapi

import (
	"bytes"
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// modelView is the ref-schema in force as clients read it: every kind in words, and the sources, of
// which a client can compile the same model.
type modelView struct {
	Hash    string               `json:"hash"`
	Kinds   []schema.Description `json:"kinds"`
	Sources []sourceView         `json:"sources"`
}

type sourceView struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

func schemaView(model *schema.Model) modelView {
	view := modelView{Hash: model.Hash()}
	for _, kind := range model.Kinds() {
		view.Kinds = append(view.Kinds, kind.Describe())
	}
	for _, source := range model.Sources() {
		view.Sources = append(view.Sources, sourceView{source.Name, string(source.Data)})
	}
	return view
}

// getSchemaVersions answers the ref-schemas that are or were in force, without their sources.
func getSchemaVersions(x *requestContext) error {
	if _, err := x.parameters(); err != nil {
		return err
	}
	versions, err := x.api.store.SchemaVersions(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": versions}))
}

// getSchemaVersion answers the model of a version, or of a moment.
func getSchemaVersion(x *requestContext, p parameters) error {
	number, err := p.count("version", 0, 1, math.MaxInt32)
	if err != nil {
		return err
	}
	if number > 0 && p.has(atParameter) {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "version and at are both given", Remedy: "leave out one of them"}
	}
	version, err := x.api.store.SchemaVersion(x.ctx, number, p.text(atParameter))
	if err != nil {
		return err
	}
	model, err := schema.Compile(version.Sources)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(struct {
		*store.SchemaVersion
		modelView
		Hash string `json:"hash"`
	}{version, schemaView(model), version.Hash}))
}

// getSchema answers the whole model; its hash is the entity tag.
func getSchema(x *requestContext) error {
	if p, err := x.parameters("version", atParameter); err != nil {
		return err
	} else if p.has("version") || p.has(atParameter) {
		return getSchemaVersion(x, p)
	}
	tag := `"` + x.routing.model.Hash() + `"`
	if unchanged, err := x.checkRead(tag); unchanged || err != nil {
		return err
	}
	return x.answer(http.StatusOK, x.routing.schema())
}

// getSchemaKind answers one kind, by any of its spellings.
func getSchemaKind(x *requestContext) error {
	spelling, err := url.PathUnescape(x.values[0])
	if err != nil {
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the path has an invalid escape", Err: err}
	}
	kind, err := x.routing.model.Find(spelling)
	if err != nil {
		e := *dovetail.AsError(err)
		e.Code = dovetail.CodeNotFound
		return &e
	}
	return x.answer(http.StatusOK, encodeJSON(kind.Describe()))
}

// mostFindings is how many findings one answer lists.
const mostFindings = 1000

// postImpact says what the ref-schema in the body, as GET /v2/schema shows one, would do to what is
// stored. It changes nothing.
func postImpact(x *requestContext) error {
	p, err := x.parameters("limit")
	if err != nil {
		return err
	}
	limit, err := p.count("limit", defaultPage, 0, mostFindings)
	if err != nil {
		return err
	}
	values, err := x.bodyValues(x.api.limits.Body)
	if err != nil {
		return err
	}
	next, err := x.compile(sourcesOf(values))
	if err != nil {
		return err
	}
	findings, total, err := x.api.store.Impact(x.ctx, next, cmp.Or(limit, mostFindings))
	if err != nil {
		return err
	}
	if findings == nil {
		findings = []store.Finding{}
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"findings": findings, "total": total}))
}

// postMigrate changes the stored documents together with the ref-schema.
func postMigrate(x *requestContext) error {
	p, err := x.parameters("dryRun")
	if err != nil {
		return err
	}
	dryRun, err := p.flag("dryRun")
	if err != nil {
		return err
	}
	body, err := x.readOne()
	if err != nil {
		return err
	}
	var sources []schema.Source
	err = decode.Body(body, func(fields decode.Field) {
		fields.Require("steps")
		sources = readSources(fields.Get("sources"), x.api.store.Model().Sources())
	}, "steps", "sources")
	if err != nil {
		return err
	}
	next, err := x.compile(sources)
	if err != nil {
		return err
	}
	steps := value.NewMap(value.Member{Name: "steps", Value: body.Get("steps")})
	m, err := store.ReadMigration(steps, next, x.api.store.Model())
	if err != nil {
		return err
	}
	done, err := x.api.store.Migrate(x.ctx, m, store.MigrateOptions{DryRun: dryRun, Message: x.r.Header.Get(messageHeader)})
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(done))
}

// readSources reads sources as sourceView writes them. Those that come with the program must be as they are in force: with another
// text they would stay when the operator's files change.
func readSources(list decode.Field, inForce []schema.Source) (sources []schema.Source) {
	for _, item := range list.NonEmptyList("source") {
		if item.Map("name", "text") {
			source := schema.Source{Name: item.Get("name").Text(), Data: []byte(item.Get("text").Text())}
			if source.BuiltInName() != "" && !slices.ContainsFunc(inForce, func(s schema.Source) bool { return s.Name == source.Name && bytes.Equal(s.Data, source.Data) }) {
				item.Get("name").Fail("give it another name", "%s is the name of kinds that come with the server, and the text is another one", decode.Quote(source.Name))
			}
			sources = append(sources, source)
		}
	}
	return sources
}

// compile compiles a ref-schema within the memory of the request.
func (x *requestContext) compile(sources []schema.Source) (*schema.Model, error) {
	for _, source := range sources {
		if err := x.charge(len(source.Data) / leastValue); err != nil {
			return nil, err
		}
	}
	return schema.CompileUntil(func() error { return x.charge(0) }, sources)
}

// leastValue is how many bytes of a text are enough for a value.
const leastValue = 2

// sourcesOf reads sources as sourceView writes them.
func sourcesOf(values []*value.Value) []schema.Source {
	var sources []schema.Source
	for _, v := range values {
		list := v.Get("sources")
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			name, _ := item.Get("name").Str()
			text, _ := item.Get("text").Str()
			sources = append(sources, schema.Source{Name: name, Data: []byte(text)})
		}
	}
	return sources
}
