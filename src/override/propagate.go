package override

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// attributes are the members of namespaces and applications that hold the parameters of a context.
var attributes = map[parameters.Context]string{parameters.Deployment: memberDeployParameters,
	parameters.Runtime: memberRuntimeParameters, parameters.Pipeline: memberPipelineParameters}

// spread computes what the mode writes further when a place gets parameters: the parameters, with those of
// overrides further down over them, go member by member into what is there. What they are written into must
// exist. The notices say what does not.
func (o *Overrides) spread(ctx context.Context, of *override, values *value.Value) ([]store.Operation, []string, error) {
	if o.options.Mode != ModeInstance && o.options.Mode != ModeEffectiveSet {
		return nil, nil, nil
	}
	merged, err := o.merged(ctx, of, values)
	if err != nil {
		return nil, nil, err
	}
	s := &spreading{o: o, of: of, values: merged, known: make(map[parameters.Target]*value.Value)}
	if s.namespaces, err = o.namespaces(ctx, of.Environment); err != nil {
		return nil, nil, err
	}
	if of.namespace != nil {
		s.namespaces = []namespace{*of.namespace}
	}
	if err := s.intoInstance(ctx); err != nil {
		return nil, nil, err
	}
	if o.options.Mode == ModeEffectiveSet {
		err = s.intoEffectiveSet(ctx)
	}
	return s.operations, s.notices, err
}

// merged are the parameters of an override with what other ParamSets of its object say of them: maps are merged.
func (o *Overrides) merged(ctx context.Context, of *override, values *value.Value) (*value.Value, error) {
	d := &draftParamSet{id: of.stored.id, stored: of.spec(), drafted: parameters.With(of.spec(), of.Target, values)}
	if !of.associated {
		d.uses = []use{{environment: of.Environment, context: of.Context, object: of.Object(), order: -1}}
	}
	_, after, err := o.associatedWith(ctx, d, of.Environment)
	if err != nil {
		return nil, err
	}
	var made value.Builder
	whole := parameters.Merge(parameters.Chain(of.Target, after)).Value
	merged := value.IndexOf(whole)
	for _, m := range values.Members {
		v := m.Value
		if of := merged.Get(m.Name); of != nil {
			v = of
		}
		made.Set(m.Name, v)
	}
	return made.Map(), nil
}

type spreading struct {
	o          *Overrides
	of         *override
	values     *value.Value // the new ones
	namespaces []namespace  // that they are for
	known      map[parameters.Target]*value.Value
	operations []store.Operation
	notices    []string
}

// intoInstance writes into the cloud, into a namespace, or into the application. Where there is no cloud the parameters of an environment go into all namespaces.
func (s *spreading) intoInstance(ctx context.Context) error {
	attribute := attributes[s.of.Context]
	switch s.of.Level() {
	case parameters.LevelApplication:
		application, err := s.o.read(ctx, s.of.namespace.id.Child(kindApplication, s.of.Application))
		if err != nil {
			return err
		}
		if application.doc == nil {
			if application.data, err = s.newApplication(ctx); err != nil {
				return err
			}
		}
		if application.data == nil {
			s.notices = append(s.notices, "the instance has no application "+s.of.Application+" that the parameters could be written into")
			return nil
		}
		return s.into(ctx, application, s.of.Target, attribute)
	case parameters.LevelEnvironment:
		environment, err := s.o.read(ctx, s.of.Environment.ID())
		if err != nil {
			return err
		}
		if cloud := environment.spec().Get(memberCloud); cloud != nil && cloud.Kind == value.Map {
			return s.into(ctx, environment, s.of.Target, memberCloud, attribute)
		}
	case parameters.LevelNamespace:
	}
	for _, n := range s.namespaces {
		target := parameters.Target{Environment: s.of.Environment, Context: s.of.Context, DeployPostfix: n.postfix()}
		if err := s.into(ctx, n.stored, target, attribute); err != nil {
			return err
		}
	}
	return nil
}

// newApplication is an application that the solution descriptor has and the namespace has not, without parameters; nil if there is none.
func (s *spreading) newApplication(ctx context.Context) (*value.Value, error) {
	if s.o.options.Repository == nil {
		return nil, nil
	}
	described, err := s.o.isDescribed(ctx, s.of.place)
	if err != nil || !described {
		return nil, err
	}
	spec := value.NewMap(value.Member{Name: memberName, Value: value.NewString(s.of.Application)})
	return value.NewMap(value.Member{Name: memberSpec, Value: spec}), nil
}

// intoEffectiveSet writes what is calculated after the change, and lays the parameters over the generated files of what cannot be calculated.
func (s *spreading) intoEffectiveSet(ctx context.Context) error {
	parts, err := s.o.list(ctx, s.of.Environment.ID(), kindEffectiveSetPart)
	if err != nil {
		return err
	}
	set, err := s.calculated(ctx, parts)
	if err != nil {
		return err
	}
	found := set.intoParts(s, parts)
	laid := 0
	for _, part := range parts {
		target, ok := s.targetOf(part.name())
		if !ok || set.has(part.name()) {
			continue
		}
		laid++
		if err := s.layOver(ctx, part, target, parts); err != nil {
			return err
		}
	}
	switch {
	case laid > 0:
		s.notices = append(s.notices, set.notices("the parameters are laid over its generated files, which knows neither levels nor macros")...)
	case set.failed != nil:
		s.notices = append(s.notices, set.notices("what is missing is left as it is")...)
	}
	if laid == 0 && !found && (s.of.Context != parameters.Pipeline || s.of.Level() == parameters.LevelEnvironment) {
		s.notices = append(s.notices, "no effective set was generated yet that the parameters could be written into")
	}
	return s.keepDates(ctx, parts)
}

// keepDates has the parts that are written keep the date of their generation, which from now on is not that of the document.
func (s *spreading) keepDates(ctx context.Context, parts []stored) error {
	for _, part := range parts {
		i := slices.IndexFunc(s.operations, func(op store.Operation) bool { return op.ID == part.id && op.Verb != store.Delete })
		if i < 0 || part.spec().Get(memberGenerated) != nil {
			continue
		}
		at, err := s.o.generatedAt(ctx, part)
		if err != nil {
			return err
		}
		s.operations[i].Data.Get(memberSpec).Set(memberGenerated, value.NewString(at.UTC().Format(time.RFC3339)))
	}
	return nil
}

// targetOf tells whose effective set a file belongs to, if it is one that overrides of the place go into.
func (s *spreading) targetOf(file string) (parameters.Target, bool) {
	t := parameters.Target{Environment: s.of.Environment, Context: s.of.Context}
	if s.of.Context == parameters.Pipeline {
		return t, s.of.Level() == parameters.LevelEnvironment && sameFile(file, parameters.OverrideFile(t))
	}
	folders := strings.Split(file, "/")
	if len(folders) < 3 || s.of.Application != "" && folders[2] != s.of.Application {
		return t, false
	}
	i := slices.IndexFunc(s.namespaces, func(n namespace) bool { return n.folder == folders[1] })
	if i < 0 {
		return t, false
	}
	inFolder := t
	inFolder.DeployPostfix, inFolder.Application = folders[1], folders[2]
	t.DeployPostfix, t.Application = s.namespaces[i].postfix(), folders[2]
	return t, sameFile(file, parameters.OverrideFile(inFolder))
}

// sameFile compares the path of a file with one that ends in .yaml; it may end in .yml, too.
func sameFile(file, canonical string) bool {
	return file == canonical || file == strings.TrimSuffix(canonical, "yaml")+"yml"
}

// into writes the overrides that count for a target into a member of a document's spec, shallowly.
func (s *spreading) into(ctx context.Context, doc stored, target parameters.Target, path ...string) error {
	spec := value.NewMap()
	if doc.spec() != nil && doc.spec().Kind == value.Map {
		spec = doc.spec().Unplaced()
	}
	attribute := spec
	for _, member := range path {
		inner := attribute.Get(member)
		if inner == nil || inner.Kind != value.Map {
			inner = value.NewMap()
			attribute.Set(member, inner)
		}
		attribute = inner
	}
	err := s.each(ctx, target, func(m value.Member) { attribute.Set(m.Name, m.Value) })
	s.operations = append(s.operations, doc.put(spec))
	return err
}

// each does something with each of the parameters that overrides give a target, those further down after those further up.
func (s *spreading) each(ctx context.Context, target parameters.Target, do func(value.Member)) error {
	for _, level := range target.Above() {
		if levelAbove(level, s.of.Target) {
			continue
		}
		values, err := s.valuesOf(ctx, level)
		if err != nil {
			return err
		}
		if values != nil {
			for _, m := range values.Members {
				do(m)
			}
		}
	}
	return nil
}

// levelAbove reports whether a target is further up than the other, so that its parameters are there already.
func levelAbove(level, of parameters.Target) bool {
	return len(level.Above()) < len(of.Above())
}

// valuesOf returns the parameters of the override of a target: of the one that is written the new ones.
func (s *spreading) valuesOf(ctx context.Context, t parameters.Target) (*value.Value, error) {
	if t == s.of.Target {
		return s.values.Unplaced(), nil
	}
	if values, ok := s.known[t]; ok {
		return values, nil
	}
	doc, err := s.o.read(ctx, paramSetID(t.Location(), t.Name()))
	if err != nil {
		return nil, err
	}
	values := parameters.Of(doc.spec(), t.Application).Unplaced()
	s.known[t] = values
	return values, nil
}

// leftBehind says which parameters an override no longer sets, where they stay until the next generation.
func (o *Overrides) leftBehind(before, after *value.Value) []string {
	if o.options.Mode != ModeInstance && o.options.Mode != ModeEffectiveSet || before == nil {
		return nil
	}
	var names []string
	now := value.IndexOf(after)
	for _, m := range before.Members {
		if now.Get(m.Name) == nil {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	where := "in the instance until the environment is built again"
	if o.options.Mode == ModeEffectiveSet {
		where = "in the instance and in the effective set until these are generated again"
	}
	return []string{fmt.Sprintf("%s: the value of the override stays %s", strings.Join(names, ", "), where)}
}
