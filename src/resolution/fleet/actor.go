package fleet

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Actor is the principal with whose rights the ActiveResolutions of a set are kept and resolved. It is immutable.
type Actor struct {
	Set       dovetail.ID
	Principal *dovetail.Principal // nil if it is not known

	uid     string
	selects bool
}

// ActorOf returns the actor of a set.
func ActorOf(set *dovetail.Document) (*Actor, error) {
	data, err := value.DataOf(set, nil)
	if err != nil {
		return nil, err
	}
	return &Actor{Set: set.ID, Principal: store.ActorOf(set), uid: set.UID, selects: data.At("spec", "clusterSelector") != nil}, nil
}

// IsOf reports whether the actor is that of a set with the uid; a set that is created again is another one.
func (a *Actor) IsOf(uid string) bool { return a != nil && a.uid == uid }

// Needs returns the rights that the actor needs for the ActiveResolution of one cluster.
func (a *Actor) Needs(member dovetail.ID) []store.Need {
	if a.selects {
		return selectorNeeds()
	}
	return []store.Need{{Right: dovetail.RightCreate, ID: member}}
}

// selectorNeeds returns the rights for a set that selects clusters: which ones it selects does not count, as that would tell of them.
func selectorNeeds() []store.Need {
	return []store.Need{{Right: dovetail.RightRead, ID: dovetail.AllOf(KindCluster)}, {Right: dovetail.RightCreate, ID: dovetail.AllOf(state.Kind)}}
}
