package follow

import (
	"context"
	"io"
	"net/http"
	"path"
	"strconv"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/value"
)

const (
	// bytesPerValue is the size of the text for each value that a source may have: values take more memory than most of their text.
	bytesPerValue = 64
	// unpackedFactor is how many times as much as the catalog in it an image may have, unpacked: nothing of the rest is kept.
	unpackedFactor = 64
	// smallShare is the part of the limits up to which sources are read at the same time. Larger ones are read one by one.
	smallShare = 8
	// raiseSource is the remedy of the limits.
	raiseSource = "follow a part of it, or ask the operator of the server to raise --max-source"
)

// metadata is the limit on what a registry answers in one fetch, besides the layers of images.
var metadata = limit.Limit{Bytes: 4 << 20, Of: "the manifests, configuration and tags in the registry", Remedy: "follow an image with fewer layers, or a repository with fewer tags"}

// load is what one fetch has in memory: texts, and the values in them. A load that is large holds the only place for such ones, until it is
// released.
type load struct {
	ctx       context.Context
	of        string // the URL of the source
	text      *limit.Budget
	small     int64 // how much of the text makes no large load
	read      int64
	values    int
	maxValues int
	large     chan struct{}
	held      bool
}

func (f *Fetcher) newLoad(ctx context.Context, s *Spec) *load {
	most := f.options.MaxBytes
	return &load{ctx: ctx, of: s.URL.String(), text: limit.Limit{Bytes: most, Of: s.URL.String(), Remedy: raiseSource}.Budget(),
		small: most / smallShare, maxValues: int(min(most/bytesPerValue, value.DefaultValues)), large: f.large}
}

// take adds text to the load.
func (l *load) take(bytes int64) error {
	if err := l.text.Take(bytes); err != nil {
		return err
	}
	if l.read += bytes; l.read > l.small {
		return l.hold()
	}
	return nil
}

// readAll reads a text.
func (l *load) readAll(from io.Reader) ([]byte, error) { return l.text.ReadAll(&taking{l, from}) }

// taking is a reader that waits until what it reads may be in memory.
type taking struct {
	load *load
	from io.Reader
}

// Read implements io.Reader.
func (t *taking) Read(p []byte) (int, error) {
	if t.load.read += int64(len(p)); t.load.read > t.load.small {
		if err := t.load.hold(); err != nil {
			return 0, err
		}
	}
	n, err := t.from.Read(p)
	t.load.read -= int64(len(p) - n)
	return n, err
}

// limits are those of parsing what was read.
func (l *load) limits() value.Limits {
	return value.Limits{Charge: func(values int) error {
		l.values += values
		switch {
		case l.values > l.maxValues:
			return &dovetail.Error{Code: dovetail.CodeTooLarge, Message: l.of + " has more than the " + strconv.Itoa(l.maxValues) + " values that are allowed", Remedy: raiseSource}
		case l.values > l.maxValues/smallShare:
			return l.hold()
		}
		return nil
	}}
}

// hold makes the load the only large one.
func (l *load) hold() error {
	if l.held {
		return nil
	}
	select {
	case l.large <- struct{}{}:
		l.held = true
		return nil
	case <-l.ctx.Done():
		return dovetail.AsError(l.ctx.Err())
	}
}

// release ends the load.
func (l *load) release() {
	if l.held {
		<-l.large
		l.held = false
	}
}

// answers is a transport to a registry whose answers, except layers, share a budget.
type answers struct {
	transport http.RoundTripper
	budget    *limit.Budget
}

// RoundTrip implements http.RoundTripper.
func (a *answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	first := request
	for first.Response != nil && first.Response.Request != nil { // registries redirect to where their layers are
		first = first.Response.Request
	}
	if isBlob := path.Base(path.Dir(first.URL.Path)) == "blobs"; !isBlob || response.StatusCode >= http.StatusBadRequest {
		response.Body = a.budget.Body(response.Body)
	}
	return response, nil
}
