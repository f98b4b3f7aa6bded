package app

import (
	"slices"

	"github.com/dovetail-store/dovetail/src/artifact"
	"github.com/dovetail-store/dovetail/src/httpapi"
	"github.com/dovetail-store/dovetail/src/solution"
	"github.com/dovetail-store/dovetail/src/store"
)

// services makes those that the configuration chooses, beside the resources.
func (s *Server) services(resources *store.Store) []httpapi.Service {
	var chosen []httpapi.Service
	if slices.Contains(s.config.Services, solution.ServiceName) {
		artifacts := artifact.NewMaven(artifact.Stored{Documents: resources},
			artifact.MavenOptions{Timeout: s.config.ArtifactTimeout, MaxBytes: s.config.MaxArtifact})
		chosen = append(chosen, solution.New(resources, solution.Options{Artifacts: artifacts, EnforceNamespaces: s.config.EnforceNamespaces}).Service())
	}
	return chosen
}
