package artifact

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// MavenOptions configure a Maven. The zero value is ready to use.
type MavenOptions struct {
	Policy   *outbound.Policy // which hosts may be connected to; default those of trusted definitions only
	Timeout  time.Duration    // for one artifact in all; default 20 s
	MaxBytes int64            // of one artifact; default 16 MiB
	Cache    int              // bytes of artifacts that are kept in memory; default 64 MiB, below zero none
}

// Maven reads artifacts from repositories of the Maven layout, over HTTP. It is safe for concurrent
// use.
type Maven struct {
	definitions Definitions
	options     MavenOptions
	cache       *cache
	secret      []byte // the key of this process for the keys of the cache
}

var _ sd.Artifacts = (*Maven)(nil)

// NewMaven returns a Maven that looks where the definitions say.
func NewMaven(definitions Definitions, options MavenOptions) *Maven {
	if options.Policy == nil {
		options.Policy = outbound.NewPolicy(outbound.Hosts{}, "the allow-list of hosts")
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
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	return &Maven{definitions: definitions, options: options, cache: newCache(options.Cache), secret: secret}
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
func (m *Maven) Fetch(ctx context.Context, a sd.Artifact) (source string, text []byte, err error) {
	f, err := m.fetch(ctx, a)
	switch {
	case ctx.Err() != nil:
		return "", nil, dovetail.AsError(ctx.Err())
	case err != nil:
		return "", nil, about(a, err)
	}
	return f.url, f.text, nil
}

func (m *Maven) fetch(ctx context.Context, a sd.Artifact) (*found, error) {
	d, err := m.definitions.Find(ctx, a.Application)
	if err != nil {
		return nil, err
	}
	if !isSegment(a.Version) {
		return nil, a.NotFound("any repository: no version can be called so")
	}
	if err := m.check(d); err != nil {
		return nil, err
	}
	if f := m.kept(d, a); f != nil {
		return f, nil
	}
	return m.ask(ctx, d, a)
}

// check returns an error if the repositories of a definition may not be connected to, also before the cache answers.
func (m *Maven) check(d *Definition) error {
	for _, repository := range d.Repositories {
		at, err := url.Parse(repository)
		if err != nil {
			return unreachable(repository, "is no URL", err)
		}
		if refused := outbound.Refused(m.options.Policy.Check(at, d.User != "", d.Trusted...)); refused != nil {
			return hostRefused(refused)
		}
	}
	return nil
}

// at is where a repository has the artifact.
func (d *Definition) at(repository string, a sd.Artifact) coordinates {
	return coordinates{repository, d.GroupID, d.ArtifactID, a.Version}
}

// kept returns the artifact from the cache, nil when it does not exist.
func (m *Maven) kept(d *Definition, a sd.Artifact) *found {
	for _, repository := range d.Repositories {
		for _, f := range d.at(repository, a).files() {
			if text, ok := m.cache.get(m.cacheKey(d, f)); ok {
				return &found{f.url, text}
			}
		}
	}
	return nil
}

// cacheKey names a file and the credential that it was read with, so that the cache answers no other: not one whose
// password is wrong either. The credential cannot be found from it.
func (m *Maven) cacheKey(d *Definition, f file) string {
	mac := hmac.New(sha256.New, m.secret)
	for _, part := range []string{d.User, d.Password} {
		sum := sha256.Sum256([]byte(part))
		_, _ = mac.Write(sum[:]) // a hash takes everything
	}
	return string(mac.Sum(nil)) + f.url
}

// ask asks all repositories.
func (m *Maven) ask(ctx context.Context, d *Definition, a sd.Artifact) (*found, error) {
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
	client := m.options.Policy.Client(d.Trusted...)
	for i, repository := range d.Repositories {
		s := search{maven: m, definition: d, client: client, at: d.at(repository, a)}
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
func worst(a sd.Artifact, failures []error) error {
	order := []string{ReasonHostRefused, ReasonChecksum, ReasonNotDescriptor, sd.ReasonArtifactTooLarge, ReasonUnauthorized, ReasonUnreachable}
	for _, reason := range order {
		i := slices.IndexFunc(failures, func(err error) bool { return dovetail.AsError(err).Reason == reason })
		if i >= 0 {
			return failures[i]
		}
	}
	return a.NotFound("the repositories of its registry")
}
