package follow

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/value"
)

// configsLabel says where an image has its catalog; see the documentation of file-based catalogs.
const (
	configsLabel   = "operators.operatorframework.io.index.configs.v1"
	defaultConfigs = "/configs"
)

// remoteOptions ask a registry under the policy of hosts, with its credential, for so much as one fetch may have of it.
func (f *Fetcher) remoteOptions(ctx context.Context, s *Spec) ([]remote.Option, error) {
	c, err := f.credential(s.URL.Host)
	if err != nil {
		return nil, err
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithTransport(&answers{f.options.Policy.Client().Transport, metadata.Budget()})}
	switch {
	case c.Token != "":
		options = append(options, remote.WithAuth(&authn.Bearer{Token: c.Token}))
	case c.User != "":
		options = append(options, remote.WithAuth(&authn.Basic{Username: c.User, Password: c.Password}))
	}
	return options, nil
}

// image reads the catalog in an image. The revision is its digest.
func (f *Fetcher) image(ctx context.Context, l *load, source string, s *Spec, revision string) (*Content, error) {
	text := s.URL.Host + s.URL.Path
	reference, err := name.ParseReference(text)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this is no reference of an image: " + err.Error(), Remedy: "write oci://HOST/REPOSITORY:TAG, or @sha256:DIGEST", Err: err}
	}
	options, err := f.remoteOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	found, err := remote.Get(reference, options...)
	if err != nil {
		return nil, unreachable(s.URL.String(), err)
	}
	if found.Digest.String() == revision {
		return nil, nil //nolint:nilnil // as documented: it is still that
	}
	if s.PublicKey != "" {
		if err := f.verify(reference.Context(), found.Digest, s, options); err != nil {
			return nil, err
		}
	}
	image, err := found.Image()
	if err != nil {
		return nil, unreachable(s.URL.String(), err)
	}
	files, err := f.configs(l, image)
	if err != nil {
		return nil, err
	}
	c, err := contentOf(source, l.limits(), files)
	if err != nil {
		return nil, err
	}
	c.Revision = found.Digest.String()
	return c, nil
}

// charts reads the tags of a repository of OCI charts: each is a version of the package that the repository is called as.
func (f *Fetcher) charts(ctx context.Context, source string, s *Spec) (*Content, error) {
	repository, err := name.NewRepository(s.URL.Host + s.URL.Path)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "this is no repository: " + err.Error(), Remedy: "write oci://HOST/REPOSITORY", Err: err}
	}
	options, err := f.remoteOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	tags, err := remote.List(repository, options...)
	if err != nil {
		return nil, unreachable(s.URL.String(), err)
	}
	slices.Sort(tags)
	c := &Content{Digest: digestOf([]catalog.File{{Name: "tags", Data: []byte(strings.Join(tags, "\n"))}})}
	versions := value.NewList()
	for _, tag := range tags {
		version, err := semver.StrictNewVersion(strings.ReplaceAll(tag, "_", "+")) // Helm writes + as _ in tags
		if err != nil {
			if !strings.HasPrefix(tag, "sha256-") { // signatures and attestations
				c.Warnings = append(c.Warnings, "the tag "+tag+" is left out: it is no semantic version")
			}
			continue
		}
		if s.PublicKey != "" {
			if err := f.verifyTag(repository.Tag(tag), s, options); err != nil {
				c.Warnings = append(c.Warnings, "the version "+version.Original()+" is left out: "+textOf(err))
				continue
			}
		}
		v := chartVersion(version, nil)
		v.Set("image", value.NewString("oci://"+repository.Tag(tag).String()))
		versions.Items = append(versions.Items, v)
	}
	if len(versions.Items) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: s.URL.String() + " has no tag that is a semantic version", Remedy: "correct the URL: it names one chart"}
	}
	pkg := value.NewMap(value.Member{Name: "name", Value: value.NewString(path.Base(s.URL.Path))},
		value.Member{Name: "defaultChannel", Value: value.NewString(channelStable)}, value.Member{Name: "versions", Value: versions})
	c.Source = value.NewMap(value.Member{Name: "name", Value: value.NewString(source)}, value.Member{Name: "packages", Value: value.NewList(pkg)})
	return c, nil
}

func (f *Fetcher) verifyTag(tag name.Tag, s *Spec, options []remote.Option) error {
	found, err := remote.Head(tag, options...)
	if err != nil {
		return unreachable(tag.String(), err)
	}
	return f.verify(tag.Context(), found.Digest, s, options)
}
