package app

import (
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/store"
)

// changeSets are those of the store. Every process reads and writes in their views, whatever services it runs.
func (s *Server) changeSets(resources *store.Store, gate *gatekeeper) *changeset.ChangeSets {
	options := changeset.Options{}
	if gate != nil {
		options.Protections = gate.Protections
	}
	return changeset.New(resources, options)
}
