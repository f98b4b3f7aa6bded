package follow

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
	"github.com/dovetail-store/dovetail/src/value"
)

// The channels of charts: those of versions that are released, and of pre-releases.
const (
	channelStable      = "stable"
	channelPrereleases = "prereleases"
)

// helm reads the index of a Helm repository: each chart is a package. Subcharts are part of their charts, so they are no dependencies.
func (f *Fetcher) helm(ctx context.Context, l *load, name string, s *Spec, revision string) (*Content, error) {
	at := s.URL.JoinPath("index.yaml")
	text, etag, err := f.get(ctx, l, at, revision)
	if err != nil || text == nil {
		return nil, err
	}
	docs, err := yaml.Parse(at.String(), text, l.limits())
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 || docs[0].Get("entries") == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: at.String() + " is no index of a Helm repository: it has no entries", Remedy: "follow the URL that helm repo add takes"}
	}
	c := &Content{Revision: etag, Digest: digestOf([]catalog.File{{Name: "index.yaml", Data: text}})}
	packages := value.NewList()
	for _, m := range docs[0].Get("entries").Members {
		if pkg := c.chart(s.URL, m.Name, m.Value); pkg != nil {
			packages.Items = append(packages.Items, pkg)
		}
	}
	slices.SortFunc(packages.Items, func(a, b *value.Value) int { return strings.Compare(a.Get("name").Text, b.Get("name").Text) })
	c.Source = value.NewMap(value.Member{Name: "name", Value: value.NewString(name)}, value.Member{Name: "packages", Value: packages})
	return c, nil
}

// chart is the package of the entries of a chart; nil where it cannot be one, which is noted.
func (c *Content) chart(repository *url.URL, name string, entries *value.Value) *value.Value {
	quarantine := func(why string) *value.Value {
		c.Quarantined = append(c.Quarantined, Quarantined{name, why})
		return nil
	}
	if why := dovetail.CheckValue(name); why != "" {
		return quarantine("the name " + why)
	}
	if entries.Kind != value.List {
		return quarantine("its entries must be a list, not a " + entries.Kind.String())
	}
	versions, seen := value.NewList(), map[string]bool{}
	for _, entry := range entries.Items {
		text, _ := textMember(entry, "version")
		version, err := semver.StrictNewVersion(strings.TrimPrefix(text, "v"))
		if err != nil {
			c.Warnings = append(c.Warnings, name+": the version "+text+" is left out: it is no semantic version")
			continue
		}
		if seen[version.Original()] {
			c.Warnings = append(c.Warnings, name+": the second version "+text+" is left out")
			continue
		}
		seen[version.Original()] = true
		v := chartVersion(version, entry)
		if image := chartURL(repository, entry); image != "" {
			v.Set("image", value.NewString(image))
		}
		if flag := member(entry, "deprecated"); flag != nil && flag.Text == "true" {
			v.Set("deprecated", value.NewBool(true))
		}
		versions.Items = append(versions.Items, v)
	}
	if len(versions.Items) == 0 {
		return quarantine("it has no version that is a semantic version")
	}
	return value.NewMap(value.Member{Name: "name", Value: value.NewString(name)},
		value.Member{Name: "defaultChannel", Value: value.NewString(channelStable)}, value.Member{Name: "versions", Value: versions})
}

// chartVersion is a version of a chart, with what its entry says about it as properties.
func chartVersion(version *semver.Version, entry *value.Value) *value.Value {
	channel := channelStable
	if version.Prerelease() != "" {
		channel = channelPrereleases
	}
	v := value.NewMap(value.Member{Name: "version", Value: value.NewString(version.Original())},
		value.Member{Name: "channels", Value: value.NewList(value.NewString(channel))})
	properties := value.NewList()
	for _, p := range []struct{ member, kind string }{{"appVersion", "helm.appVersion"}, {"kubeVersion", "helm.kubeVersion"}, {"digest", "helm.digest"}} {
		if text, is := textMember(entry, p.member); is && text != "" {
			properties.Items = append(properties.Items, value.NewMap(value.Member{Name: "type", Value: value.NewString(p.kind)}, value.Member{Name: "value", Value: value.NewString(text)}))
		}
	}
	if len(properties.Items) > 0 {
		v.Set("properties", properties)
	}
	return v
}

// chartURL is where a chart is, which the index may say relative to the repository.
func chartURL(repository *url.URL, entry *value.Value) string {
	urls := member(entry, "urls")
	if urls == nil || len(urls.Items) == 0 {
		return ""
	}
	text, _ := urls.Items[0].Str()
	at, err := url.Parse(text)
	switch {
	case err != nil || text == "":
		return ""
	case at.IsAbs():
		return text
	}
	return repository.JoinPath(text).String()
}

// member returns a member of what may not be a map.
func member(of *value.Value, name string) *value.Value {
	if of == nil || of.Kind != value.Map {
		return nil
	}
	return of.Get(name)
}

// textMember returns a member as it is written: indexes have versions that YAML takes for numbers.
func textMember(of *value.Value, name string) (string, bool) {
	v := member(of, name)
	if v == nil || v.Kind == value.Map || v.Kind == value.List || v.Kind == value.Null {
		return "", false
	}
	return v.Text, true
}
