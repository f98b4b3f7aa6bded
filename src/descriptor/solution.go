package descriptor

import (
	"context"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/store"
)

// Store is where solutions are kept. *store.Store is one; its methods are described there.
type Store interface {
	Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error)
	List(ctx context.Context, q store.ListQuery) (*store.Page, error)
	Apply(ctx context.Context, operations []store.Operation, options store.Options) (*store.Result, error)
}

// Options configure Solutions. The zero value is ready to use.
type Options struct {
	// Artifacts is where SDs come from that requests only name; nil for nowhere.
	Artifacts sd.Artifacts
	// EnforceNamespaces refuses applications whose deployPostfix belongs to no namespace of the
	// environment. Otherwise they are warned of, as soon as the environment has any namespace.
	EnforceNamespaces bool
}

// Solutions are the solutions of all environments. It is safe for concurrent use, by any number of
// processes on one database.
type Solutions struct {
	store   Store
	options Options
}

// New returns the solutions in a store.
func New(s Store, options Options) *Solutions { return &Solutions{store: s, options: options} }

// Part is one of the two SDs of an environment.
type Part string

// The parts.
const (
	Full  Part = "full"  // all applications
	Delta Part = "delta" // what came last
)

const (
	kindDescriptor  = "solutionDescriptor"
	kindNamespace   = "deployPostfix"
	kindApplication = "application"
)

// of is the id of this SD of an environment.
func (p Part) of(e inventory.Environment) dovetail.ID {
	return e.ID().Child(kindDescriptor, string(p))
}

// exists returns CodeNotFound when there is no such environment.
func (s *Solutions) exists(ctx context.Context, e inventory.Environment) error {
	_, err := s.store.Get(ctx, e.ID())
	if dovetail.CodeOf(err) == dovetail.CodeNotFound {
		return &dovetail.Error{Code: dovetail.CodeNotFound, Key: e.ID(), Message: "the environment " + e.String() + " does not exist",
			Remedy: "create it, or correct environmentId"}
	}
	return err
}
