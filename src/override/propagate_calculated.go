package override

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// calculatedChange are the sets of an environment before and after a change of its instance; empty where they cannot be calculated.
type calculatedChange struct {
	before, after *effectiveset.Set
	failed        error
	bySOPS        bool // SOPS encrypted credentials of the environment
}

// calculated calculates the set before the operations so far and after them, with the session and the parameters for one run of the one that is stored.
func (s *spreading) calculated(ctx context.Context, parts []stored) (*calculatedChange, error) {
	made := &calculatedChange{before: &effectiveset.Set{}, after: &effectiveset.Set{}}
	if s.o.options.Repository == nil {
		made.failed = &dovetail.Error{Code: dovetail.CodeInvalid, Message: "no sets are calculated here"}
		return made, nil
	}
	documents, err := s.o.calculatedFrom(ctx, s.of.Environment, "")
	if dovetail.CodeOf(err) == dovetail.CodeForbidden {
		made.failed = &dovetail.Error{Code: dovetail.CodeForbidden, Message: "not all that it is calculated from may be read"}
		return made, nil
	}
	if err != nil {
		return nil, err
	}
	before, _, err := s.o.calculateSet(s.of.Environment, documents, parts)
	if err != nil {
		return nil, err
	}
	after, failed, err := s.o.calculateSet(s.of.Environment, withOperations(documents, s.operations), parts)
	if err != nil {
		return nil, err
	}
	if made.failed = failed; after != nil {
		made.after = after
	}
	if before != nil {
		made.before = before
	}
	made.bySOPS = sealedBySOPS(documents)
	return made, nil
}

// calculateSet calculates the set of an environment from documents, with the session and the parameters for one run of the parts that are stored.
// failed says why some or all of it cannot be calculated.
func (o *Overrides) calculateSet(e inventory.Environment, documents []*dovetail.Document, parts []stored) (set *effectiveset.Set, failed, err error) {
	repository, unwritable, err := o.options.Repository(documents)
	if err != nil || len(unwritable) > 0 {
		return nil, dovetail.Join("documents are no part of an instance repository", unwritable), err
	}
	in := effectiveset.Input{Repo: repository, Cluster: e.Cluster, Name: e.Name, SBOMs: o.sboms(), Open: o.options.Open, OpenFile: o.options.OpenFile, Session: sessionOf(parts), Custom: customOf(parts)}
	set, failed = effectiveset.Calculate(in)
	return set, failed, nil
}

// sealedBySOPS reports whether SOPS encrypted credentials among the documents of an environment.
func sealedBySOPS(documents []*dovetail.Document) bool {
	return slices.ContainsFunc(documents, func(doc *dovetail.Document) bool {
		return doc.Kind == "environmentCredential" && bytes.Contains(doc.Data, []byte("ENC[AES256_GCM,"))
	})
}

// withOperations are documents as operations leave them.
func withOperations(documents []*dovetail.Document, operations []store.Operation) []*dovetail.Document {
	all := slices.Clone(documents)
	for _, op := range operations {
		changed := &dovetail.Document{ID: op.ID, Data: op.Data.JSON()}
		if i := slices.IndexFunc(all, func(doc *dovetail.Document) bool { return doc.ID == op.ID }); i >= 0 {
			copied := *all[i]
			copied.Data = changed.Data
			all[i] = &copied
			continue
		}
		key := op.ID.Key()
		changed.Kind = key[len(key)-1].Name
		all = append(all, changed)
	}
	return all
}

// canonical is the name of a part as the calculator calls it.
func canonical(name string) string {
	if stem, is := strings.CutSuffix(name, ".yml"); is {
		return stem + ".yaml"
	}
	return name
}

// has reports whether a part is calculated.
func (c *calculatedChange) has(name string) bool {
	_, has := c.after.Files[canonical(name)]
	return has
}

// notices say why a set is not calculated, or not all of it.
func (c *calculatedChange) notices(instead string) []string {
	const most = 5
	found := (&effectiveset.ToBe{Failed: c.failed}).Why(instead)
	var all []string
	for i, f := range found {
		if i > most {
			return append(all, fmt.Sprintf("%s: there are %d more reasons", effectiveset.NotCalculated, len(found)-i))
		}
		text := string(f.Reason) + ": " + f.Message
		if at := f.Position.String(); at != "" {
			text = at + ": " + text
		}
		all = append(all, text)
	}
	return all
}

// intoParts writes the files that the change makes other ones, of applications, namespaces and contexts that have been generated; found reports whether there are such.
func (c *calculatedChange) intoParts(s *spreading, parts []stored) (found bool) {
	known, generated, encrypted := make(map[string]stored), make(map[string]bool), false
	for _, part := range parts {
		encrypted = encrypted || effectiveset.IsEncrypted(part.spec().Get(memberParameters))
		name := canonical(part.name())
		known[name], generated[generatedFolder(name)] = part, true
		if _, is := c.after.Files[name]; is {
			found = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.after.Files)) {
		if bytes.Equal(c.before.Files[name], c.after.Files[name]) && c.before.Files[name] != nil {
			continue
		}
		part, there := known[name]
		if !there && !generated[generatedFolder(name)] {
			continue
		}
		content, why := s.o.partContent(c.after, name, part, c.bySOPS, encrypted)
		if content == nil {
			s.notices = append(s.notices, why)
			continue
		}
		s.write(part, name, content)
	}
	for _, name := range slices.Sorted(maps.Keys(c.before.Files)) {
		part, there := known[name]
		if _, stays := c.after.Files[name]; there && !stays && c.failed == nil {
			s.operations = append(s.operations, part.remove())
		}
	}
	return found
}

// partContent is what a part gets of a set, with what is encrypted in it encrypted as before where it is the same; nil where it is left as it is, and
// why. encrypted reports whether parts of the set are.
func (o *Overrides) partContent(set *effectiveset.Set, name string, part stored, bySOPS, encrypted bool) (content *value.Value, why string) {
	content, err := set.Content(name)
	switch {
	case err != nil: // of what was just written: cannot be
		return nil, name + " is left as it is: " + dovetail.AsError(err).Message
	case bySOPS && effectiveset.IsSensitive(name):
		return nil, name + " is left as it is: the credentials of the environment are encrypted with SOPS, and only `dovetail effective-set generate` writes files of sets so"
	case !encrypted || !effectiveset.IsSensitive(name):
		return content, ""
	}
	seal := o.seal(part)
	if seal == nil {
		return nil, name + " is left as it is: its values are encrypted, and there is no key"
	}
	return effectiveset.Reseal(name, content, part.spec().Get(memberParameters), o.options.Open, seal), ""
}

// seal is what encrypts the values of a document; nil if there is no key for it.
func (o *Overrides) seal(of stored) func(plain string) string {
	if o.options.Seal == nil {
		return nil
	}
	return o.options.Seal(of.id)
}

// generatedFolder is what is generated at once: of a namespace, an application in it, or a context.
func generatedFolder(name string) string {
	names := strings.Split(name, "/")
	return strings.Join(names[:min(len(names)-1, 3)], "/")
}

// write gives a part another content, unless it has it; there need be no part of this name yet.
func (s *spreading) write(part stored, name string, content *value.Value) {
	content = content.Unplaced()
	if part.doc == nil {
		part = stored{id: s.of.Environment.ID().Child(kindEffectiveSetPart, name)}
		s.operations = append(s.operations, part.put(value.NewMap(value.Member{Name: memberParameters, Value: content})))
		return
	}
	if value.Equal(part.spec().Get(memberParameters), content) {
		return
	}
	spec := part.spec().Unplaced()
	spec.Set(memberParameters, content)
	s.operations = append(s.operations, part.put(spec))
}

// sessionOf is the DEPLOYMENT_SESSION_ID of a set that is there.
func sessionOf(parts []stored) string {
	for _, part := range parts {
		if session, is := part.spec().At(memberParameters, "DEPLOYMENT_SESSION_ID").Str(); is {
			return session
		}
	}
	return ""
}

// customOf are the parameters for one run that a set that is there was calculated with; nil if there is none. They are resolved already.
func customOf(parts []stored) *value.Value {
	spaces := value.NewMap()
	for _, part := range parts {
		names := strings.Split(canonical(part.name()), "/")
		context := names[0]
		switch last := names[len(names)-1]; {
		case context == string(parameters.Deployment) && last == "custom-params.yaml" && len(names) > 2:
		case context == string(parameters.Runtime) && last == "credentials.yaml" && len(names) > 2:
		default:
			continue
		}
		given := part.spec().Get(memberParameters)
		if given == nil || len(given.Members) == 0 {
			continue
		}
		space := spaces.Get(names[1])
		if space == nil {
			space = value.NewMap()
			spaces.Set(names[1], space)
		}
		of := value.BuilderOf(space.Get(context))
		for _, m := range given.Members {
			of.Set(m.Name, literally(m.Value))
		}
		space.Set(context, of.Map())
	}
	if len(spaces.Members) == 0 {
		return nil
	}
	return value.NewMap(value.Member{Name: "namespaces", Value: spaces})
}

// literally is a value whose texts are no macros.
func literally(v *value.Value) *value.Value {
	made := *v
	made.Items, made.Members = nil, nil
	if v.Kind == value.String {
		made.Text = strings.NewReplacer(`\`, `\\`, `$`, `\$`).Replace(v.Text)
	}
	for _, item := range v.Items {
		made.Items = append(made.Items, literally(item))
	}
	for _, m := range v.Members {
		made.Members = append(made.Members, value.Member{Name: m.Name, Value: literally(m.Value)})
	}
	return &made
}

// layOver writes the overrides that count for a target into a generated part that is not calculated: at the top, and wherever the same parameters stand once more. What has the
// name of a service does not take the place of the parameters of the service: it goes to the file of collisions.
func (s *spreading) layOver(ctx context.Context, part stored, target parameters.Target, parts []stored) error {
	content := value.NewMap()
	if of := part.spec().Get(memberParameters); of != nil && of.Kind == value.Map {
		content = of.Unplaced()
	}
	below, services := []*value.Value{}, make(map[string]bool)
	if global := content.Get(memberGlobal); global != nil && global.Kind == value.Map {
		for _, m := range content.Members {
			if m.Name == memberGlobal || value.Equal(m.Value, global) {
				below = append(below, m.Value)
				services[m.Name] = m.Name != memberGlobal
			}
		}
	}
	colliding := value.NewMap()
	err := s.each(ctx, target, func(m value.Member) {
		for _, of := range below {
			of.Set(m.Name, m.Value)
		}
		if services[m.Name] {
			colliding.Set(m.Name, m.Value)
			return
		}
		content.Set(m.Name, m.Value)
	})
	if err != nil {
		return err
	}
	s.write(part, part.name(), content)
	if len(colliding.Members) == 0 {
		return nil
	}
	name := canonical(part.name())
	name = name[:strings.LastIndexByte(name, '/')+1] + "collision-deployment-parameters.yaml"
	i := slices.IndexFunc(parts, func(p stored) bool { return canonical(p.name()) == name })
	other, all := stored{}, value.NewMap()
	if i >= 0 {
		other = parts[i]
		if of := other.spec().Get(memberParameters); of != nil && of.Kind == value.Map {
			all = of.Unplaced()
		}
	}
	united := value.BuilderOf(all)
	united.SetAll(colliding)
	s.write(other, name, united.Map())
	return nil
}
