package krm

import (
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/layering/rendering"
	"github.com/dovetail-store/dovetail/src/value"
)

const resourceList = "ResourceList"

// Outcome is what a function answers.
type Outcome struct {
	List     *value.Value      // the ResourceList with rendered items and results; the items as they were when anything is refused
	Errors   []*dovetail.Error // that refuse the items; empty when they are rendered
	Warnings []*dovetail.Error
}

// Run renders the items of a ResourceList that are layered, and leaves the others as they are. The other documents are parents and
// sources, too, and do not become items. An error says that the list is no ResourceList.
func Run(list *value.Value, others []*rendering.Document, options rendering.Options) (*Outcome, error) {
	version, _ := list.Get("apiVersion").Str()
	if kind, _ := list.Get("kind").Str(); kind != resourceList || !strings.HasPrefix(version, "config.kubernetes.io/") {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: list.Position(), Message: "the input is no ResourceList of config.kubernetes.io",
			Remedy: "call this from kustomize or kpt; to render files, use dovetail layering render"}
	}
	f := function{options: options, byID: make(map[rendering.ID]*item)}
	f.documents = append(f.documents, others...)
	f.configure(list.Get("functionConfig"))
	f.read(list.Get("items"))
	f.render()
	return f.outcome(list), nil
}

// item is an item of the list.
type item struct {
	whole    *value.Value
	object   bool                // a Kubernetes object with annotations
	document *rendering.Document // nil for an item that is not layered
	rendered *value.Value        // nil for one that is not rendered by itself
}

// function is one run.
type function struct {
	options   rendering.Options
	items     []*item
	documents []*rendering.Document
	byID      map[rendering.ID]*item
	findings  []finding
	refused   bool
}

// configure reads the function's configuration.
func (f *function) configure(config *value.Value) {
	if config == nil {
		return
	}
	if spec := config.Get("spec"); spec != nil {
		for _, name := range fileLists {
			if spec.Get(name) != nil {
				f.fail(finding{of: &item{whole: config}, path: value.Pointer("spec", name), err: &dovetail.Error{Code: dovetail.CodeInvalid, Position: spec.Get(name).Position(),
					Message: name + " name files, which a function does not read", Remedy: "give the file of this configuration with -f, or use annotations"}})
			}
		}
	}
	f.check(config)
	if spec := config.Get("spec"); spec != nil {
		if policy := policyOf(spec); policy != nil {
			f.add(&item{whole: config}, policy, rendering.ProfileDovetail, specPath)
		}
	}
}

// check reads what is not the policy's, and refuses what is not known.
func (f *function) check(config *value.Value) {
	errs := &dovetail.Errors{}
	d := decode.Decoder{Errors: errs}
	if root := d.Root(config, "the configuration of the function", ""); root.Map("apiVersion", "kind", "metadata", "spec") && root.Get("spec").Value != nil {
		s := root.Get("spec")
		if s.Map(append([]string{"layerOrder", "arrayIndex", "strictParents", "allowMissingSources"}, fileLists...)...) && !s.Get("allowMissingSources").IsMissing() {
			f.options.AllowMissingSources = s.Get("allowMissingSources").Bool() || f.options.AllowMissingSources
		}
	}
	for _, e := range errs.Kept() {
		f.fail(finding{of: &item{whole: config}, err: e, path: e.Position.Path})
	}
}

// policyOf makes a layering policy of the specification of a configuration, nil if it has nothing of one.
func policyOf(spec *value.Value) *value.Value {
	var kept value.Builder
	for _, m := range spec.Members {
		if slices.Contains([]string{"layerOrder", "arrayIndex", "strictParents"}, m.Name) {
			kept.Set(m.Name, m.Value)
		}
	}
	data := kept.Map()
	if len(data.Members) == 0 {
		return nil
	}
	policy := value.NewMap(
		value.Member{Name: "schema", Value: value.NewString(rendering.PolicySchema)},
		value.Member{Name: "metadata", Value: value.NewMap(
			value.Member{Name: "schema", Value: value.NewString("metadata/Control/v1")},
			value.Member{Name: "name", Value: value.NewString("layering-policy")})},
		value.Member{Name: "data", Value: data})
	policy.Place, data.Place = spec.Place, spec.Place
	return policy
}

// specPath translates a path in the policy that was made of a configuration into one there.
func specPath(path string) string {
	if rest, ok := strings.CutPrefix(path, "/data"); ok {
		return "/spec" + rest
	}
	return "/spec"
}

// read finds the layered items.
func (f *function) read(items *value.Value) {
	if items == nil {
		return
	}
	for _, v := range items.Items {
		it := &item{whole: v}
		f.items = append(f.items, it)
		switch {
		case isDocument(v):
			f.add(it, withoutAnnotations(v), rendering.ProfileDovetail, func(path string) string { return path })
		case isLayered(v):
			it.object = true
			document, problems := documentOf(v)
			for _, p := range problems {
				p.of = it
				f.fail(p)
			}
			if len(problems) == 0 {
				f.add(it, document, rendering.ProfileKubernetes, objectPath)
			}
		}
	}
}

// add reads the document of an item. Paths of errors are those of the document, which where translates into the item.
func (f *function) add(it *item, v *value.Value, profile rendering.Profile, where func(string) string) {
	documents, err := profile.Read("", []*value.Value{v})
	if err != nil {
		for _, e := range partsOf(err) {
			f.fail(finding{of: it, err: e, path: where(e.Position.Path)})
		}
		f.more(dovetail.AsError(err).Omitted(), "errors", false)
		return
	}
	it.document = documents[0]
	if it.object {
		it.document = it.document.WithForm(formOf(it.whole, it.document.Schema))
	}
	f.documents = append(f.documents, it.document)
	if f.byID[it.document.ID] == nil {
		f.byID[it.document.ID] = it
	}
}

func (f *function) fail(problem finding) {
	f.refused = true
	f.findings = append(f.findings, problem)
}

// more says how many others there are.
func (f *function) more(n int, what string, warns bool) {
	if n > 0 {
		f.findings = append(f.findings, finding{err: dovetail.Errorf(dovetail.CodeInvalid, "and %d more %s", n, what), warns: warns})
	}
}

// render renders the documents, if all could be read.
func (f *function) render() {
	if f.refused || !slices.ContainsFunc(f.items, func(it *item) bool { return it.document != nil }) {
		return
	}
	rendered, err := rendering.Render(f.documents, f.options)
	if err != nil {
		for _, e := range partsOf(err) {
			f.fail(f.about(e))
		}
		f.more(dovetail.AsError(err).Omitted(), "errors", false)
		return
	}
	for _, w := range rendered.Warnings.Kept() {
		problem := f.about(w)
		problem.warns = true
		f.findings = append(f.findings, problem)
	}
	f.more(rendered.Warnings.Omitted(), "warnings", true)
	for _, r := range rendered.Documents {
		it := f.byID[r.ID]
		switch {
		case it == nil || it.document != r.Document: // of a file, or the configuration
		case it.object:
			it.rendered = r.Whole(r.Data())
		default:
			it.rendered = r.Whole(r.Data())
			if annotations := it.whole.At("metadata", "annotations"); annotations != nil {
				metadata := *it.rendered.Get("metadata")
				metadata.Members = append(slices.Clone(metadata.Members), value.Member{Name: "annotations", Value: annotations})
				it.rendered.Set("metadata", &metadata)
			}
		}
	}
}

// about makes a finding of an error of rendering.
func (f *function) about(e *dovetail.Error) finding {
	problem := finding{err: e, path: e.Position.Path}
	id, _ := rendering.DocumentOf(e)
	if it := f.byID[id]; it != nil && e.Position.File == "" {
		problem.of = it
	}
	return problem
}

// outcome is the answer.
func (f *function) outcome(list *value.Value) *Outcome {
	answer := *list
	answer.Members = slices.Clone(list.Members)
	out := &Outcome{List: &answer}
	results := value.NewList()
	if earlier := list.Get("results"); earlier != nil { // of other functions
		results.Items = slices.Clone(earlier.Items)
	}
	for i := range f.findings {
		found := &f.findings[i]
		results.Items = append(results.Items, found.result())
		if found.warns {
			out.Warnings = append(out.Warnings, found.message())
		} else {
			out.Errors = append(out.Errors, found.message())
		}
	}
	if !f.refused {
		items := value.NewList()
		for _, it := range f.items {
			switch {
			case it.document == nil:
				items.Items = append(items.Items, it.whole)
			case it.rendered != nil:
				items.Items = append(items.Items, it.rendered)
			}
		}
		answer.Set("items", items)
	}
	if len(results.Items) > 0 {
		answer.Set("results", results)
	}
	return out
}

func partsOf(err error) []*dovetail.Error {
	e := dovetail.AsError(err)
	if len(e.Errors) > 0 {
		return e.Errors
	}
	return []*dovetail.Error{e}
}
