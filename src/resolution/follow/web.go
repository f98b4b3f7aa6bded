package follow

import (
	"context"
	"net/url"
	"path"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
)

// file reads a file at a URL.
func (f *Fetcher) file(ctx context.Context, l *load, name string, s *Spec, revision string) (*Content, error) {
	text, etag, err := f.get(ctx, l, s.URL, revision)
	if err != nil || text == nil {
		return nil, err
	}
	c, err := contentOf(name, l.limits(), []catalog.File{{Name: path.Base(s.URL.Path), Data: text}})
	if err != nil {
		return nil, err
	}
	c.Revision = etag
	return c, nil
}

// dovetail reads a source of another Dovetail.
func (f *Fetcher) dovetail(ctx context.Context, l *load, name string, s *Spec, revision string) (*Content, error) {
	at := s.URL.JoinPath("api", "sources", url.PathEscape(s.Source))
	text, etag, err := f.get(ctx, l, at, revision)
	if err != nil || text == nil {
		return nil, err
	}
	docs, err := yaml.Parse(at.String(), text, l.limits())
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 || docs[0].Get("packages") == nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Message: at.String() + " answers with something that is no source", Remedy: "follow the root URL of a Dovetail"}
	}
	return &Content{Source: joined(name, docs), Revision: etag, Digest: digestOf([]catalog.File{{Name: "source", Data: text}})}, nil
}
