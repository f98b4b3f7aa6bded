package override

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
)

// object has follow what is for a namespace or an application.
func (f *following) object() ([]store.Followed, error) {
	from, to := f.moved.From, f.moved.To
	x := objectMove{following: f, was: environmentOf(from), is: environmentOf(to)}
	if key, next := from.Key(), to.Key(); key[len(key)-1].Name == kindApplication {
		x.application, x.app, x.toApp = true, lastName(from), lastName(to)
		from, to = key[:len(key)-1].ID(), next[:len(next)-1].ID()
	}
	x.folder, x.toFolder = lastName(from), lastName(to)
	var err error
	if x.postfixes, err = x.all(x.was); err != nil {
		return nil, err
	}
	if x.postfix, x.toPostfix, err = x.between(from, to); err != nil {
		return nil, err
	}
	if err := x.follow(); err != nil {
		return nil, err
	}
	return f.found, nil
}

// objectMove is the move of a namespace, or of an application.
type objectMove struct {
	*following
	was, is            inventory.Environment
	application        bool // whether an application is moved, not the namespace
	app, toApp         string
	folder, toFolder   string   // deploy postfix of the namespace as the inventory has it
	postfix, toPostfix string   // deploy postfix of the namespace as ParamSets are associated with it
	postfixes          []string // deploy postfixes of the environment
}

// rolesIn returns the roles of the namespaces of an environment by their names on the cluster.
func (x *objectMove) rolesIn(e inventory.Environment) (map[string]parameters.Role, error) {
	domains, err := x.list(e.ID(), kindBGDomain)
	if err != nil {
		return nil, err
	}
	return rolesOf(domains), nil
}

// all returns the deploy postfixes of an environment.
func (x *objectMove) all(e inventory.Environment) ([]string, error) {
	documents, err := x.list(e.ID(), kindNamespace)
	if err != nil {
		return nil, err
	}
	roles, err := x.rolesIn(e)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(documents))
	for i, doc := range documents {
		all[i] = newNamespace(doc, roles).postfix()
	}
	return all, nil
}

// between returns the deploy postfix of the namespace before and after. One that has its name on the cluster from its id keeps its role: the
// blue-green domain follows it.
func (x *objectMove) between(from, to dovetail.ID) (was, is string, err error) {
	roles, err := x.rolesIn(x.was)
	if err != nil {
		return "", "", err
	}
	documents, err := x.from.GetAll(x.ctx, []dovetail.ID{from, to})
	if err != nil || documents[0] == nil {
		return x.folder, x.toFolder, err
	}
	doc, err := parse(documents[0])
	if err != nil {
		return "", "", err
	}
	before := newNamespace(doc, roles)
	if documents[1] != nil { // the application moves to another one
		if roles, err = x.rolesIn(x.is); err != nil {
			return "", "", err
		}
		if doc, err = parse(documents[1]); err != nil {
			return "", "", err
		}
		return before.postfix(), newNamespace(doc, roles).postfix(), nil
	}
	after := before
	if after.folder = x.toFolder; x.is != x.was {
		if roles, err = x.rolesIn(x.is); err != nil {
			return "", "", err
		}
		after.role = roles[after.called]
	}
	return before.postfix(), after.postfix(), nil
}

// objectOf returns what an object that associations are of becomes.
func (x *objectMove) objectOf(object string) string {
	switch {
	case object == x.postfix:
		return x.toPostfix
	case object == x.folder:
		return x.toFolder
	}
	return object
}

// target returns the target of an override of the object by the name of its ParamSet, and what it becomes.
func (x *objectMove) target(t parameters.Target) (parameters.Target, bool) {
	if t.DeployPostfix != x.postfix && t.DeployPostfix != x.folder || x.application && t.Application != x.app {
		return t, false
	}
	if t.Environment, t.DeployPostfix = x.is, x.objectOf(t.DeployPostfix); x.application {
		t.Application = x.toApp
	}
	return t, true
}

func (x *objectMove) follow() error {
	all, err := x.associations(x.was.ID())
	if err != nil {
		return err
	}
	sets, err := x.list(x.was.ID(), kindEnvironmentParamSet)
	if err != nil {
		return err
	}
	for _, set := range sets {
		if err := x.followSet(set, all); err != nil {
			return err
		}
	}
	if err := x.followShared(all); err != nil {
		return err
	}
	if err := x.followAssociations(all); err != nil {
		return err
	}
	parts, err := x.list(x.was.ID(), kindEffectiveSetPart)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if file, ok := isPart(part.name(), x.folder, x.app, x.toFolder, x.toApp); ok {
			x.found = append(x.found, store.Followed{ID: part.id, To: x.is.ID().Child(kindEffectiveSetPart, file)})
		}
	}
	return nil
}

// followSet has a ParamSet follow: under another name if it is that of an override of the object, and with the name of the application in it.
func (x *objectMove) followSet(set stored, all []association) error {
	var uses []association
	for _, a := range all {
		if a.paramSet == set.id {
			uses = append(uses, a)
		}
	}
	t, isOverride := parameters.FindTarget(x.was, set.name(), x.postfixes)
	for _, a := range uses {
		if of, ok := parameters.OverrideTarget(x.was, a.context, a.object, set.name()); ok {
			t, isOverride = of, true
		}
	}
	if isOverride {
		if to, ok := x.target(t); ok {
			x.rename(set, paramSetID(to.Location(), to.Name()), x.app, x.toApp)
		}
		return nil
	}
	x.followApplication(set, uses)
	return nil
}

// followShared has the ParamSets of the cluster and of all follow that the environment uses, with the name of the application in them.
func (x *objectMove) followShared(all []association) error {
	var ids []dovetail.ID
	for _, a := range all {
		if placed, _ := placeOf(a.paramSet); placed.Name == "" {
			ids = append(ids, a.paramSet)
		}
	}
	slices.Sort(ids)
	sets, err := x.get(slices.Compact(ids))
	if err != nil {
		return err
	}
	for _, set := range sets {
		uses, err := x.users(set.id)
		if err != nil {
			return err
		}
		x.followApplication(set, uses)
	}
	return nil
}

// followApplication has a ParamSet follow that sets parameters of the application, under both names if others use it, too.
func (x *objectMove) followApplication(set stored, uses []association) {
	if !x.application || x.app == x.toApp || x.was != x.is {
		return
	}
	here := func(a association) bool { return a.environment == x.was && a.folder() == x.folder }
	reaches := func(a association) bool { return here(a) || a.environment == x.was && a.object == parameters.Cloud }
	if !slices.ContainsFunc(uses, reaches) {
		return
	}
	alone := !slices.ContainsFunc(uses, func(a association) bool { return !here(a) })
	data := set.data.Unplaced()
	if spec := data.Get(memberSpec); spec != nil && renameApplication(spec, x.app, x.toApp, alone) {
		x.found = append(x.found, store.Followed{ID: set.id, Data: data})
	}
}

// followAssociations has the associations of the object follow, and those of ParamSets that follow. In a group that has associations already they
// are the last ones.
func (x *objectMove) followAssociations(all []association) error {
	groups := make(map[group]int)
	if x.application && (x.folder != x.toFolder || x.was != x.is) {
		there, err := x.associations(x.is.ID())
		if err != nil {
			return err
		}
		for _, a := range there {
			groups[group{x.is, a.context, a.object}]++
		}
	}
	left, leaves := make(map[group][]association), make(map[group]bool)
	for _, a := range all {
		was := group{a.environment, a.context, a.object}
		_, renamed := x.sets[a.paramSet]
		if !renamed && (x.application || a.folder() != x.folder) {
			left[was] = append(left[was], a)
			continue
		}
		is, folder, order := group{x.is, a.context, x.objectOf(a.object)}, a.folder(), a.order
		if folder == x.folder {
			folder = x.toFolder
		}
		if n := groups[is]; is != was && x.application {
			order, groups[is], leaves[was] = n, n+1, true
		}
		x.associate(a, x.is, is.object, folder, order)
	}
	for g := range leaves {
		for _, op := range arrange(g, left[g], nil) {
			x.found = append(x.found, store.Followed{ID: op.ID, Data: op.Data})
		}
	}
	return nil
}
