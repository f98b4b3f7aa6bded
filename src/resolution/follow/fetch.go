package follow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// Options configure a Fetcher.
type Options struct {
	Policy *outbound.Policy // which hosts may be connected to
	// Credentials returns those of hosts, as they are now: they may be renewed while the process runs; nil if there is none.
	Credentials func() (Credentials, error)
	Timeout     time.Duration // of one fetch in all; default 5 minutes
	MaxBytes    int64         // of what is read of one source, unpacked; default 32 MiB
	Dir         string        // where clones of Git repositories are kept; default a temporary folder
}

// Fetcher reads what sources follow. It is safe for concurrent use.
type Fetcher struct {
	options Options
	clones  clones
	large   chan struct{} // of one: the load that is larger than those which are read at the same time
}

// NewFetcher returns a Fetcher. Close it.
func NewFetcher(options Options) *Fetcher {
	if options.Policy == nil {
		options.Policy = outbound.NewPolicy(outbound.Hosts{}, "the list of hosts")
	}
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Minute
	}
	if options.MaxBytes == 0 {
		options.MaxBytes = 32 << 20
	}
	return &Fetcher{options: options, large: make(chan struct{}, 1)}
}

// Fetch reads what a source follows; nil if the revision is still the one given. Release the content when it is stored: other large ones
// wait for that. Errors: CodeUnavailable where it cannot be reached or read, CodeTooLarge where it is larger than allowed, CodeUnprocessable where the host is not allowed, a signature is missing or wrong, CodeInvalid for what is read but cannot be
// understood.
func (f *Fetcher) Fetch(ctx context.Context, name string, s *Spec, revision string) (*Content, error) {
	ctx, cancel := context.WithTimeout(ctx, f.options.Timeout)
	defer cancel()
	if s.URL.Scheme != "oci" { // the requests to registries are checked one by one
		if err := f.options.Policy.Check(s.URL, false); err != nil {
			return nil, err
		}
	}
	l := f.newLoad(ctx, s)
	content, err := f.fetch(ctx, l, name, s, revision)
	if err != nil || content == nil {
		l.release()
		return nil, err
	}
	content.release = l.release
	return content, nil
}

func (f *Fetcher) fetch(ctx context.Context, l *load, name string, s *Spec, revision string) (*Content, error) {
	switch s.Type {
	case Image:
		return f.image(ctx, l, name, s, revision)
	case Charts:
		return f.charts(ctx, name, s)
	case Helm:
		return f.helm(ctx, l, name, s, revision)
	case Git:
		return f.git(ctx, l, name, s, revision)
	case File:
		return f.file(ctx, l, name, s, revision)
	case Dovetail:
		return f.dovetail(ctx, l, name, s, revision)
	}
	return nil, dovetail.Errorf(dovetail.CodeInvalid, "a source cannot follow %q", s.Type)
}

// credential is that of a host, as it is now; the zero Credential for none.
func (f *Fetcher) credential(host string) (Credential, error) {
	if f.options.Credentials == nil {
		return Credential{}, nil
	}
	all, err := f.options.Credentials()
	return all[host], err
}

// get reads a file from the web; nil if it is still the revision, which is its ETag.
func (f *Fetcher) get(ctx context.Context, l *load, at *url.URL, revision string) (text []byte, etag string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, "", err
	}
	credential, err := f.credential(at.Host)
	if err != nil {
		return nil, "", err
	}
	credential.authorize(request)
	if revision != "" {
		request.Header.Set("If-None-Match", revision)
	}
	answer, err := f.options.Policy.Client().Do(request)
	if err != nil {
		return nil, "", unreachable(at.String(), err)
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotModified && revision != "":
		return nil, revision, nil
	case answer.StatusCode != http.StatusOK:
		return nil, "", unreachable(at.String(), errors.New("it answers "+answer.Status))
	}
	if text, err = l.readAll(answer.Body); err != nil {
		return nil, "", unreachable(at.String(), err)
	}
	return text, answer.Header.Get("ETag"), nil
}

// unreachable is the error of what cannot be read; that of a host which is not allowed stays.
func unreachable(what string, err error) error {
	if refused := outbound.Refused(err); refused != nil {
		return refused
	}
	var known *dovetail.Error
	if errors.As(err, &known) {
		return known
	}
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: fmt.Sprintf("%s cannot be read: %s", what, reasonOf(err)), Remedy: "it is tried again at the next interval", Err: err}
}

// reasonOf is an error without the URL, which net/http puts before it.
func reasonOf(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}
