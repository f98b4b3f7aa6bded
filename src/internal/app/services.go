package app

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/changeset"
	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/artifact"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/internal/server/kubeapi"
	"github.com/dovetail-store/dovetail/src/layering"
	"github.com/dovetail-store/dovetail/src/override"
	"github.com/dovetail-store/dovetail/src/resolution"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
)

// services makes those that the configuration chooses, beside the resources. What they do unasked they do until the
// background work ends.
func (s *Server) services(background context.Context, resources *store.Store, repository *attached, changeSets *changeset.ChangeSets) []httpapi.Service {
	var chosen []httpapi.Service
	if slices.Contains(s.config.Services, descriptor.ServiceName) {
		artifacts := artifact.NewMaven(s.definitions(resources), artifact.MavenOptions{Policy: outbound.NewPolicy(s.config.ArtifactHosts, "--artifact-hosts"),
			Timeout: s.config.ArtifactTimeout, MaxBytes: s.config.MaxArtifact})
		options := descriptor.Options{Artifacts: artifacts, EnforceNamespaces: s.config.EnforceNamespaces}
		service := descriptor.New(repository.documents(resources), options).Service()
		// Artifacts come from where the definitions of now say: one that is only staged sends no credentials anywhere.
		service.At = func(then *store.Store) httpapi.Service { return descriptor.New(then, options).Service() }
		chosen = append(chosen, service)
	}
	if slices.Contains(s.config.Services, override.ServiceName) {
		options := s.overrideOptions(repository)
		service := override.New(repository.overrides(resources), options).Service()
		service.At = func(then *store.Store) httpapi.Service {
			return override.New(override.Stored{Store: then}, options).Service()
		}
		chosen = append(chosen, service)
	}
	if slices.Contains(s.config.Services, layering.ServiceName) {
		options := s.layeringOptions()
		service := layering.New(resources, options).Service()
		service.At = func(then *store.Store) httpapi.Service { return layering.New(then, options).Service() }
		chosen = append(chosen, service)
	}
	if slices.Contains(s.config.Services, resolution.ServiceName) {
		chosen = append(chosen, s.resolution(background, resources))
	}
	if slices.Contains(s.config.Services, changeset.ServiceName) {
		chosen = append(chosen, changeSets.Service())
	}
	if slices.Contains(s.config.Services, ServiceResources) {
		chosen = append(chosen, kubeapi.New(repository.documents(resources), time.Now).Service())
	}
	return chosen
}

// overrideOptions say how effective sets are calculated.
func (s *Server) overrideOptions(repository *attached) override.Options {
	options := override.Options{Mode: s.config.OverrideMode, Repository: repositoryOf, SBOMs: repository.sboms()}
	if s.credentialKeys != nil {
		options.Open, options.OpenFile = s.credentialKeys.Open, s.credentialKeys.OpenUnordered
	}
	options.Seal = func(of dovetail.ID) func(string) string {
		keys := s.credentialKeys
		if repository != nil {
			keys = repository.keysOf(of)
		}
		if !keys.CanSeal() {
			return nil
		}
		return keys.Seal
	}
	return options
}

// checkServices logs which services are off because the ref-schema lacks their kinds. One that the configuration names is an error.
func (s *Server) checkServices(services []httpapi.Service, model *schema.Model) error {
	var errs dovetail.Errors
	for _, service := range services {
		off := service.Off(model)
		switch {
		case off == nil:
		case slices.Contains(s.config.NamedServices, service.Name):
			errs.Add(&dovetail.Error{Code: dovetail.CodeInvalid, Message: off.Message, Remedy: off.Remedy + "; or do not name it with --services"})
		default:
			s.off = append(s.off, service.Name)
		}
	}
	if len(s.off) > 0 {
		s.log.Info("services are off: the ref-schema lacks their kinds, which a service that --services names brings", "services", s.off)
	}
	return errs.Err("services cannot run")
}

// definitions are those of artifacts among the stored documents.
func (s *Server) definitions(resources *store.Store) artifact.Stored {
	stored := artifact.Stored{Documents: resources, Credentials: usable{resources}, Keys: s.credentialKeys}
	if s.config.ArtifactRegistries {
		stored.Registries = func(ctx context.Context) iter.Seq2[*dovetail.Document, error] {
			return resources.Documents(ctx, store.ListQuery{Kind: "registryDefinition"})
		}
	}
	return stored
}

// usable reads documents on behalf of principals with the right to use them, which need not have the right to read.
type usable struct{ *store.Store }

// Get returns a document that the principal of the context may read or use.
func (u usable) Get(ctx context.Context, id dovetail.ID) (*dovetail.Document, error) {
	if may, err := u.Allowed(ctx, dovetail.RightUse, id); err != nil || !may {
		return u.Store.Get(ctx, id)
	}
	return u.Store.Get(system(ctx, "artifacts"), id)
}
