package override

import (
	"cmp"
	"context"
	"slices"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// stored is a document with its data; doc is nil when there is none.
type stored struct {
	id   dovetail.ID
	doc  *dovetail.Document
	data *value.Value
}

// read returns a document, which need not exist.
func (o *Overrides) read(ctx context.Context, id dovetail.ID) (stored, error) {
	doc, err := o.documents.Get(ctx, id)
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return stored{id: id}, nil
	}
	if err != nil {
		return stored{}, err
	}
	return parse(doc)
}

// readVersioned returns a document, which need not exist, with its version.
func (o *Overrides) readVersioned(ctx context.Context, id dovetail.ID) (s stored, version string, err error) {
	err = store.Transact(ctx, func() error {
		if s, err = o.read(ctx, id); err != nil || s.doc == nil {
			return err
		}
		if version, err = o.documents.Version(ctx, s.doc); dovetail.CodeOf(err) == dovetail.CodeStale {
			return store.Retry(err)
		}
		return err
	})
	return s, version, err
}

func parse(doc *dovetail.Document) (stored, error) {
	data, err := value.DataOf(doc, nil)
	return stored{id: doc.ID, doc: doc, data: data}, err
}

// list returns the documents of a kind below an id. It fails if the principal may not read all of them, since
// a result computed from a part would be wrong, and would reveal something about the rest.
func (o *Overrides) list(ctx context.Context, under dovetail.ID, kind string) ([]stored, error) {
	return o.listed(ctx, store.ListQuery{Under: under, Kind: kind, Complete: true})
}

func (o *Overrides) listed(ctx context.Context, q store.ListQuery) ([]stored, error) {
	page, err := o.documents.List(ctx, q)
	if err != nil {
		return nil, err
	}
	all := make([]stored, len(page.Documents))
	for i, doc := range page.Documents {
		if all[i], err = parse(doc); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// spec is what the document says beside its name.
func (s stored) spec() *value.Value { return s.data.Get(memberSpec) }

// name is the last element of the key.
func (s stored) name() string {
	key := s.id.Key()
	return key[len(key)-1].Value
}

// put makes the operation that gives the document another spec, or creates it.
func (s stored) put(spec *value.Value) store.Operation {
	if s.doc == nil {
		return store.Operation{Verb: store.Create, ID: s.id, Data: value.NewMap(
			value.Member{Name: memberMetadata, Value: value.NewMap(value.Member{Name: memberName, Value: value.NewString(s.name())})},
			value.Member{Name: memberSpec, Value: spec})}
	}
	data := s.data.Unplaced()
	data.Set(memberSpec, spec)
	return store.Operation{Verb: store.Put, ID: s.id, Data: data, IfMatch: []dovetail.ETag{s.doc.ETag()}}
}

func (s stored) remove() store.Operation {
	return store.Operation{Verb: store.Delete, ID: s.id, IfMatch: []dovetail.ETag{s.doc.ETag()}}
}

// namespace is a namespace of an environment.
type namespace struct {
	stored
	folder string          // its deploy postfix as the inventory has it
	called string          // its name on the cluster
	role   parameters.Role // in the environment's blue-green domain; "" if there is none
}

// postfix is its deploy postfix as ParamSets are associated with it.
func (n namespace) postfix() string { return parameters.ForRole(n.folder, n.role) }

// namespaces returns all namespaces of an environment: it fails if the principal may not read one of them.
func (o *Overrides) namespaces(ctx context.Context, e inventory.Environment) ([]namespace, error) {
	return o.namespacesOf(ctx, e, store.ListQuery{Under: e.ID(), Kind: kindNamespace, Complete: true})
}

// readableNamespaces returns those that the principal may read, for one to be found among them.
func (o *Overrides) readableNamespaces(ctx context.Context, e inventory.Environment) ([]namespace, error) {
	return o.namespacesOf(ctx, e, store.ListQuery{Under: e.ID(), Kind: kindNamespace})
}

func (o *Overrides) namespacesOf(ctx context.Context, e inventory.Environment, q store.ListQuery) ([]namespace, error) {
	documents, err := o.listed(ctx, q)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	domains, err := o.list(ctx, e.ID(), kindBGDomain)
	if err != nil {
		return nil, err
	}
	roles := rolesOf(domains)
	all := make([]namespace, len(documents))
	for i, doc := range documents {
		all[i] = newNamespace(doc, roles)
	}
	return all, nil
}

// newNamespace is the namespace of a document; the roles are those of rolesOf.
func newNamespace(doc stored, roles map[string]parameters.Role) namespace {
	called, _ := doc.spec().Get(memberNamespace).Str()
	n := namespace{stored: doc, folder: doc.name(), called: cmp.Or(called, doc.name())}
	n.role = roles[n.called]
	return n
}

// rolesOf returns the roles of namespaces in blue-green domains, by their names on the cluster.
func rolesOf(domains []stored) map[string]parameters.Role {
	roles := make(map[string]parameters.Role)
	for _, domain := range domains {
		for member, role := range map[string]parameters.Role{"originNamespace": parameters.Origin, "peerNamespace": parameters.Peer} {
			if name, ok := domain.spec().At(member, memberName).Str(); ok {
				roles[name] = role
			}
		}
	}
	return roles
}

// place is what a request is about: a target, and the namespace that it names.
type place struct {
	parameters.Target
	namespace *namespace // nil for the whole environment
}

// resolve finds what a request names. Errors: CodeInvalid, and CodeNotFound for the environment or the
// namespace; whether an environment without namespace exists is not looked up.
func (o *Overrides) resolve(ctx context.Context, w where) (place, error) {
	e, p := w.environment, place{Target: parameters.Target{Environment: w.environment, Context: w.context, Application: w.application}}
	if w.namespace == "" {
		return p, p.Check()
	}
	all, err := o.readableNamespaces(ctx, e)
	if err != nil {
		return p, err
	}
	i := slices.IndexFunc(all, func(n namespace) bool { return n.called == w.namespace })
	if i < 0 {
		if err := o.exists(ctx, e); err != nil {
			return p, err
		}
		return p, &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoNamespace, Message: "the environment " + e.String() + " has no namespace " + w.namespace,
			Remedy: "give the name of a namespace on the cluster, not its deploy postfix"}
	}
	p.namespace, p.DeployPostfix = &all[i], all[i].postfix()
	return p, p.Check()
}

// exists returns CodeNotFound when there is no such environment.
func (o *Overrides) exists(ctx context.Context, e inventory.Environment) error {
	_, err := o.documents.Get(ctx, e.ID())
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoEnvironment, Key: e.ID(), Message: "the environment " + e.String() + " does not exist",
			Remedy: "create it, or correct environmentId"}
	}
	return err
}
