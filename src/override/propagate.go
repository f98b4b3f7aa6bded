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
	s := &spreading{o: o, of: of, values: values, known: make(map[parameters.Target]*value.Value)}
	var err error
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

type spreading struct {
	o          *Overrides
	of         *override
	values     *value.Value // the new ones
	namespaces []namespace  // that they are for
	known      map[parameters.Target]*value.Value
	operations []store.Operation
	notices    []string
}

// intoInstance writes into namespaces, or into the application.
func (s *spreading) intoInstance(ctx context.Context) error {
	attribute := attributes[s.of.Context]
	if s.of.Level() == parameters.LevelApplication {
		application, err := s.o.read(ctx, s.of.namespace.id.Child(kindApplication, s.of.Application))
		if err != nil {
			return err
		}
		if application.doc == nil {
			s.notices = append(s.notices, "the instance has no application "+s.of.Application+" that the parameters could be written into")
			return nil
		}
		return s.into(ctx, application, attribute, s.of.Target)
	}
	for _, n := range s.namespaces {
		target := parameters.Target{Environment: s.of.Environment, Context: s.of.Context, DeployPostfix: n.postfix()}
		if err := s.into(ctx, n.stored, attribute, target); err != nil {
			return err
		}
	}
	return nil
}

// intoEffectiveSet writes into the generated files of every application that the place is for, or into that
// of the pipeline.
func (s *spreading) intoEffectiveSet(ctx context.Context) error {
	parts, err := s.o.list(ctx, s.of.Environment.ID(), kindEffectiveSetPart)
	if err != nil {
		return err
	}
	found := false
	for _, part := range parts {
		target, ok := s.targetOf(part.name())
		if !ok {
			continue
		}
		found = true
		if part.spec().Get(memberGenerated) == nil { // from now on the document's own date is another one
			at, err := s.o.generatedAt(ctx, part)
			if err != nil {
				return err
			}
			part.data.Get(memberSpec).Set(memberGenerated, value.NewString(at.UTC().Format(time.RFC3339)))
		}
		if err := s.into(ctx, part, memberParameters, target); err != nil {
			return err
		}
	}
	if !found && (s.of.Context != parameters.Pipeline || s.of.Level() == parameters.LevelEnvironment) {
		s.notices = append(s.notices, "no effective set was generated yet that the parameters could be written into")
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
func (s *spreading) into(ctx context.Context, doc stored, member string, target parameters.Target) error {
	spec := value.NewMap()
	if doc.spec() != nil && doc.spec().Kind == value.Map {
		spec = doc.spec().Unplaced()
	}
	attribute := spec.Get(member)
	if attribute == nil || attribute.Kind != value.Map {
		attribute = value.NewMap()
	}
	for _, level := range target.Above() {
		if levelAbove(level, s.of.Target) {
			continue
		}
		values, err := s.valuesOf(ctx, level)
		if err != nil {
			return err
		}
		if values == nil {
			continue
		}
		for _, m := range values.Members {
			attribute.Set(m.Name, m.Value)
		}
	}
	spec.Set(member, attribute)
	s.operations = append(s.operations, doc.put(spec))
	return nil
}

// levelAbove says whether a target is further up than the other, so that its parameters are there already.
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
	for _, m := range before.Members {
		if after.Get(m.Name) == nil {
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
