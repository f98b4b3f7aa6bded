package override

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// move is the wish that parameters of overrides of several environments are set once, by a ParamSet that all of them use.
type move struct {
	context      parameters.Context
	object       string // of the overrides: "cloud", or a deploy postfix
	application  string
	parameters   []string
	environments []inventory.Environment
	location     parameters.Location // of the ParamSet, which need not exist
	name         string
	into         string // the object that the ParamSet is associated with: that of the overrides, or "cloud"
	accept       bool   // differences are no reason to refuse it
}

// moved is what a move does, or would do.
type moved struct {
	ParamSet     shownParamSet  `json:"paramSet"`
	Created      bool           `json:"created"`      // the ParamSet
	Environments []movedFrom    `json:"environments"` // of which overrides lose parameters
	Differences  []mergedChange `json:"differences"`  // values that would be others
	Notices      []string       `json:"notices,omitempty"`
	Applied      bool           `json:"applied"` // it is done
}

// movedFrom is an environment of which an override loses parameters.
type movedFrom struct {
	EnvironmentID string `json:"environmentId"`
	Override      string `json:"override"`   // the name of its ParamSet
	Deleted       bool   `json:"deleted"`    // nothing is left in it
	Associated    bool   `json:"associated"` // the ParamSet is associated with the object by the move
}

// target is the override of an environment that parameters move out of.
func (m *move) target(e inventory.Environment) parameters.Target {
	t := parameters.Target{Environment: e, Context: m.context, Application: m.application}
	if m.object != parameters.Cloud {
		t.DeployPostfix = m.object
	}
	return t
}

// movement is a move as it is computed.
type movement struct {
	*move
	*plan
	o      *Overrides
	result *moved
	spec   *value.Value // of the ParamSet as it will be
	errs   dovetail.Errors
}

// moveParameters makes parameters of overrides of several environments parameters of one ParamSet, in one transaction. Errors: CodeConflict with each
// conflict, and with each difference where these are not accepted; and those of associations.
func (o *Overrides) moveParameters(ctx context.Context, wanted *move, w write) (*httpapi.Response, error) {
	response, err := o.transact(ctx, w, func() (*plan, error) {
		m := &movement{move: wanted, o: o, result: &moved{Environments: []movedFrom{}, Differences: []mergedChange{}}}
		err := m.compute(ctx, w.options.DryRun)
		if m.plan != nil {
			m.answer = func(applied *Applied) *httpapi.Response {
				m.result.Applied, m.result.ParamSet.Version = !w.options.DryRun, applied.Version
				return &httpapi.Response{Body: m.result, Warnings: m.result.Notices}
			}
		}
		return m.plan, err
	})
	if err != nil {
		return nil, err
	}
	o.ids.add(paramSetID(wanted.location, wanted.name))
	return response, nil
}

// compute plans the move.
func (m *movement) compute(ctx context.Context, dryRun bool) error {
	id := paramSetID(m.location, m.name)
	if err := m.o.homeExists(ctx, m.location); err != nil {
		return err
	}
	s, version, err := m.o.readVersioned(ctx, id)
	if err != nil {
		return err
	}
	m.plan = &plan{of: id, base: version, show: asParamSet,
		message: fmt.Sprintf("Move %s from the overrides of %d environments into the ParamSet %s", strings.Join(m.parameters, ", "), len(m.environments), m.name)}
	values, err := m.take(ctx)
	if err != nil {
		return err
	}
	if m.spec = m.give(s, values); m.errs.Total() > 0 {
		return m.errs.Err("the parameters cannot be moved")
	}
	put := s.put(m.spec)
	m.operations = append([]store.Operation{put}, m.operations...)
	m.result.Created = s.doc == nil
	shown := s
	shown.data = put.Data
	m.result.ParamSet = showParamSet(shown, version)
	if m.result.Differences, err = m.o.differences(ctx, m); err != nil {
		return err
	}
	if mode := m.o.options.Mode; mode == ModeInstance || mode == ModeEffectiveSet {
		m.result.Notices = append(m.result.Notices, "the instance keeps the values as they are until it is built again, from the ParamSet "+m.name)
	}
	m.notices = m.result.Notices
	if len(m.result.Differences) > 0 && !m.accept && !dryRun {
		return differs(m.result.Differences)
	}
	return nil
}

// take plans that the overrides lose the parameters, and the associations of the ParamSet. It returns the values that they all give.
func (m *movement) take(ctx context.Context) (*value.Value, error) {
	values := value.NewMap()
	for _, e := range m.environments {
		if err := m.o.exists(ctx, e); err != nil {
			return nil, err
		}
		if !m.location.Reaches(e) {
			m.errs.Add(unreachable(use{environment: e}, m.location))
			continue
		}
		t := m.target(e)
		s, err := m.o.read(ctx, paramSetID(t.Location(), t.Name()))
		if err != nil {
			return nil, err
		}
		of := parameters.Of(s.spec(), t.Application)
		if of == nil {
			of = value.NewMap()
		}
		left := of.Unplaced()
		for _, name := range m.parameters {
			v := of.Get(name)
			switch before := values.Get(name); {
			case v == nil:
				m.conflict(s.id, "/"+name, fmt.Sprintf("the override %s of %s does not set %s", t.Name(), e, name))
			case before != nil && !value.Equal(before, v):
				m.conflict(s.id, "/"+name, fmt.Sprintf("%s gives %s another value than %s", e, name, m.environments[0]))
			default:
				values.Set(name, v.Unplaced())
			}
			left.Delete(name)
		}
		if m.errs.Total() == 0 {
			if err := m.leave(ctx, t, s, left); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}

func (m *movement) conflict(id dovetail.ID, path, message string) {
	m.errs.Add(&dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonMoveConflict, Key: id, Position: dovetail.Position{Path: path}, Message: message,
		Remedy: "leave the environment or the parameter out, or make the values equal first"})
}

// leave plans what is left of an override, and how its environment uses the ParamSet.
func (m *movement) leave(ctx context.Context, t parameters.Target, s stored, left *value.Value) error {
	from := movedFrom{EnvironmentID: t.Environment.String(), Override: t.Name()}
	all, err := m.o.associations(ctx, t.Environment)
	if err != nil {
		return err
	}
	groups := []group{{t.Environment, m.context, m.into}}
	rest := parameters.With(s.spec(), t, left)
	if from.Deleted = isEmptyParamSet(rest); from.Deleted {
		m.operations = append(m.operations, s.remove())
		all = slices.DeleteFunc(all, func(a association) bool {
			if a.paramSet != s.id {
				return false
			}
			m.operations = append(m.operations, a.remove())
			if g := (group{a.environment, a.context, a.object}); !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
			return true
		})
	} else {
		m.operations = append(m.operations, s.put(rest))
	}
	into := paramSetID(m.location, m.name)
	from.Associated = !slices.ContainsFunc(all, func(a association) bool { return a.paramSet == into && a.context == m.context && a.object == m.into })
	for _, g := range groups {
		var added []association
		if from.Associated && g == groups[0] {
			folder, err := m.o.folderOf(ctx, use{environment: t.Environment, object: m.into})
			if err != nil {
				return err
			}
			added = append(added, newAssociation(t.Environment, m.context, m.into, folder, into))
		}
		m.operations = append(m.operations, arrange(g, all, added)...)
		m.regroup = append(m.regroup, g)
	}
	m.result.Environments = append(m.result.Environments, from)
	return nil
}

// isEmptyParamSet reports whether a ParamSet sets nothing.
func isEmptyParamSet(spec *value.Value) bool {
	empty := func(v *value.Value) bool { return isNull(v) || len(v.Members) == 0 }
	if !empty(spec.Get(memberParameters)) {
		return false
	}
	applications := spec.Get(memberApplications)
	return isNull(applications) || !slices.ContainsFunc(applications.Items, func(item *value.Value) bool { return !empty(item.Get(memberParameters)) })
}

// give makes the spec of the ParamSet with the values.
func (m *movement) give(s stored, values *value.Value) *value.Value {
	of := parameters.Of(s.spec(), m.application)
	if of == nil {
		of = value.NewMap()
	}
	had, given := value.IndexOf(of), value.BuilderOf(of.Unplaced())
	for _, member := range values.Members {
		if there := had.Get(member.Name); there != nil && !value.Equal(there, member.Value) {
			m.conflict(s.id, "/"+member.Name, fmt.Sprintf("the ParamSet %s gives %s another value", m.name, member.Name))
			continue
		}
		given.Set(member.Name, member.Value)
	}
	spec := s.spec()
	if spec == nil {
		spec = value.NewMap(value.Member{Name: memberName, Value: value.NewString(m.name)})
	}
	return parameters.With(spec, parameters.Target{Context: m.context, Application: m.application}, given.Map())
}
