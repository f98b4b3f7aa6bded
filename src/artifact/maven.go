package artifact

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// MavenOptions configure a Maven. The zero value is ready to use.
type MavenOptions struct {
	Client   *http.Client  // default one of its own
	Timeout  time.Duration // for one artifact in all; default 20 s
	MaxBytes int64         // of one artifact; default 16 MiB
	Cache    int           // bytes of artifacts that are kept in memory; default 64 MiB, below zero none
}

// Maven reads artifacts from repositories of the Maven layout, over HTTP. It is safe for concurrent
// use.
type Maven struct {
	definitions Definitions
	options     MavenOptions
	cache       *cache
}

var _ descriptor.Artifacts = (*Maven)(nil)

// NewMaven returns a Maven that looks where the definitions say.
func NewMaven(definitions Definitions, options MavenOptions) *Maven {
	if options.Client == nil {
		options.Client = &http.Client{}
	}
	if options.Timeout == 0 {
		options.Timeout = 20 * time.Second
	}
	if options.MaxBytes == 0 {
		options.MaxBytes = maxFile
	}
	if options.Cache == 0 {
		options.Cache = 64 << 20
	}
	return &Maven{definitions: definitions, options: options, cache: newCache(options.Cache)}
}

// found is a file that was read.
type found struct {
	url  string
	text []byte
}

// Fetch asks all repositories of the artifact's definition at once; the first that has it gives it,
// and its URL is the source. What never changes, that is everything but a snapshot without builds,
// is kept in memory. Errors are *dovetail.Error with the artifact as file, and one of the reasons of
// this package or of descriptor; of several, from several repositories, the one that says most.
func (m *Maven) Fetch(ctx context.Context, a descriptor.Artifact) (source string, text []byte, err error) {
	f, err := m.fetch(ctx, a)
	switch {
	case ctx.Err() != nil:
		return "", nil, dovetail.AsError(ctx.Err())
	case err != nil:
		return "", nil, about(a, err)
	}
	return f.url, f.text, nil
}

func (m *Maven) fetch(ctx context.Context, a descriptor.Artifact) (*found, error) {
	d, err := m.definitions.Find(ctx, a.Application)
	if err != nil {
		return nil, err
	}
	if !isSegment(a.Version) {
		return nil, a.NotFound("any repository: no version can be called so")
	}
	if f := m.kept(d, a); f != nil {
		return f, nil
	}
	return m.ask(ctx, d, a)
}

// at is where a repository has the artifact.
func (d *Definition) at(repository string, a descriptor.Artifact) coordinates {
	return coordinates{repository, d.GroupID, d.ArtifactID, a.Version}
}

// kept returns the artifact from the cache, nil when it is not there.
func (m *Maven) kept(d *Definition, a descriptor.Artifact) *found {
	for _, repository := range d.Repositories {
		for _, f := range d.at(repository, a).files() {
			if text, ok := m.cache.get(cacheKey(d, f)); ok {
				return &found{f.url, text}
			}
		}
	}
	return nil
}

// cacheKey names a file and who may read it.
func cacheKey(d *Definition, f file) string { return d.User + "\n" + f.url }

// ask asks all repositories.
func (m *Maven) ask(ctx context.Context, d *Definition, a descriptor.Artifact) (*found, error) {
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer cancel()
	type answer struct {
		of  int
		f   *found
		err error
	}
	answers := make(chan answer, len(d.Repositories))
	for i, repository := range d.Repositories {
		s := search{maven: m, definition: d, at: d.at(repository, a)}
		asking.Go(func() {
			f, err := s.run(ctx)
			answers <- answer{i, f, err}
		})
	}
	failures := make([]error, len(d.Repositories))
	for range d.Repositories {
		answer := <-answers
		if answer.err == nil {
			return answer.f, nil
		}
		failures[answer.of] = answer.err
	}
	return nil, worst(a, failures)
}

// worst returns the error that says most about why there is no artifact, of equals the first.
func worst(a descriptor.Artifact, failures []error) error {
	order := []string{ReasonChecksum, ReasonNotDescriptor, descriptor.ReasonArtifactTooLarge, ReasonUnauthorized, ReasonUnreachable}
	for _, reason := range order {
		i := slices.IndexFunc(failures, func(err error) bool { return dovetail.AsError(err).Reason == reason })
		if i >= 0 {
			return failures[i]
		}
	}
	return a.NotFound("the repositories of its registry")
}
