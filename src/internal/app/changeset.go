package app

import (
	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/internal/operate/impact"
	"github.com/dovetail-store/dovetail/src/internal/secret/envelope"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/store"
)

// changeSets are those of the store. Every process reads and writes in their views, whatever services it runs.
func (s *Server) changeSets(resources *store.Store, gate *gatekeeper, repository *attached) *changeset.ChangeSets {
	options := changeset.Options{Writer: repository.documents(resources), Impacts: map[string]impact.Func{
		override.ServiceName:   override.Impact(s.overrideOptions(repository)),
		layering.ServiceName:   layering.Impact(s.layeringOptions()),
		resolution.ServiceName: resolution.Impact(resolution.Options{}),
	}}
	options.Carriers = s.carriers(repository)
	options.Protections = gate.protections()
	if repository != nil {
		options.Repositories = repositories{repository.Repositories}
	}
	return changeset.New(resources, options)
}

// carriers are the services that make again what was staged, in merges here and on the Git host.
func (s *Server) carriers(repository *attached) map[string]changeset.Carrier {
	return map[string]changeset.Carrier{
		layering.ServiceName: {Kinds: layering.CarriedKinds, Carry: layering.Carry(s.layeringOptions())},
		override.ServiceName: {Kinds: override.CarriedKinds, MadeOf: override.MadeOf, Carry: override.Carry(s.overrideOptions(repository))},
	}
}

func (s *Server) layeringOptions() (options layering.Options) {
	options.Profile = s.config.LayeringProfile
	if s.deckhandPolicy != nil {
		options.Policy = s.deckhandPolicy
	}
	if file := s.config.EncryptionKeys; file != "" {
		options.Keys = envelope.At(file)
	}
	return options
}
