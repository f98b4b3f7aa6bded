package peer

import (
	"context"
	"errors"
	"fmt"
)

// Targets is how many parents, and how many documents of each referenced kind, there are.
const Targets = 100

// ErrMissing is returned when the programs of a system are not installed.
var ErrMissing = errors.New("not installed")

// ErrDangling is returned by Create when the parent or a referenced document does not exist.
var ErrDangling = errors.New("parent or referenced document is missing")

// Peer is a system that keeps documents. Create is safe for concurrent use.
type Peer interface {
	// Create stores the item durably, if its parent and both of its references exist; otherwise it
	// stores nothing and returns ErrDangling (except the raw bbolt peer, which does not check).
	Create(ctx context.Context, item Item) error
	// Close ends the system and frees what it holds.
	Close() error
}

// System is a way to open a Peer that holds the targets and no items.
type System struct {
	Name string
	// Open keeps all data below the empty folder dir and serves that many writers.
	Open func(ctx context.Context, dir string, writers int) (Peer, error)
	// Checks says that Create checks the parent and the references.
	Checks bool
}

// Systems are all systems, Dovetail first.
func Systems() []System {
	return []System{
		{"dovetail", OpenDovetail, true},
		{"postgresql", OpenPostgreSQL, true},
		{"etcd", OpenEtcd, true},
		{"bbolt", OpenBolt, false},
	}
}

// Item is a document to create: item Number below parent Parent, that refers to left Left and right Right.
type Item struct {
	Number, Parent, Left, Right int
}

// Spread gives item number n one of the first so many parents, lefts and rights, so that neighbours in time have
// different ones.
func Spread(n, targets int) Item {
	return Item{Number: n, Parent: n % targets, Left: n * 7 % targets, Right: n * 13 % targets}
}

// ItemOf spreads item number n over all targets.
func ItemOf(n int) Item { return Spread(n, Targets) }

// Name is the item's own name.
func (i Item) Name() string { return fmt.Sprintf("item-%09d", i.Number) }

// TargetName names a parent, left or right.
func TargetName(n int) string { return fmt.Sprintf("target-%03d", n) }

// Data is the item as a JSON document of about 400 bytes, the size of a small resource.
func (i Item) Data() []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":%q,"description":"one of many items that are created to be counted",`+
		`"labels":{"team":"storage","stage":"production","tier":"backend"}},`+
		`"spec":{"left":%q,"right":%q,"replicas":3,"image":"registry.example.com/team/application:1.%d.0",`+
		`"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"250m","memory":"128Mi"}}}}`,
		i.Name(), TargetName(i.Left), TargetName(i.Right), i.Number%50)
}
