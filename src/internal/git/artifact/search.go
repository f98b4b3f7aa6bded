package artifact

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
	"strings"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/internal/operate/outbound"
)

// errAbsent says that there is no such file.
var errAbsent = errors.New("absent")

// maxSmall bounds checksums and lists of builds, in bytes.
const maxSmall = 1 << 20

// search looks for an artifact in one repository.
type search struct {
	maven      *Maven
	definition *Definition
	client     *http.Client
	at         coordinates
}

// run returns the artifact, or errAbsent, or what is wrong with it or with the repository.
func (s *search) run(ctx context.Context) (*found, error) {
	places := s.at.files()
	if s.at.isSnapshot() {
		newest, err := s.newest(ctx)
		if err != nil {
			return nil, err
		}
		places = append(newest, places...)
	}
	for _, place := range places {
		text, err := s.read(ctx, place)
		if err == nil {
			return &found{place.url, text}, nil
		}
		if !errors.Is(err, errAbsent) {
			return nil, err
		}
	}
	return nil, errAbsent
}

// newest returns the files of a snapshot's newest build, none where builds are not listed.
func (s *search) newest(ctx context.Context) ([]file, error) {
	metadata, err := s.get(ctx, s.at.metadata(), maxSmall)
	switch {
	case errors.Is(err, errAbsent):
		return nil, nil
	case err != nil:
		return nil, err
	}
	files, err := s.at.newest(metadata)
	if err != nil {
		return nil, unreachable(s.at.metadata(), "is no list of builds", err)
	}
	return files, nil
}

// read returns an SD that is what its checksum says.
func (s *search) read(ctx context.Context, f file) ([]byte, error) {
	if text, ok := s.maven.cache.get(s.maven.cacheKey(s.definition, f)); ok {
		return text, nil
	}
	text, err := s.get(ctx, f.url, s.maven.options.MaxBytes)
	if err != nil {
		return nil, err
	}
	if err := s.verify(ctx, f.url, text); err != nil {
		return nil, err
	}
	if _, err := sd.Parse(f.url, text); err != nil {
		e := *dovetail.AsError(err)
		for len(e.Errors) > 0 {
			e = *e.Errors[0]
		}
		e.Code, e.Reason = dovetail.CodeUnprocessable, ReasonNotDescriptor
		e.Message = "the artifact is no solution descriptor: " + e.Message
		return nil, &e
	}
	if f.lasting {
		s.maven.cache.put(s.maven.cacheKey(s.definition, f), text)
	}
	return text, nil
}

// verify compares the text with the best checksum that the repository has of it. Without any there is
// nothing to compare.
func (s *search) verify(ctx context.Context, url string, text []byte) error {
	for _, sum := range []struct {
		extension string
		hash      hash.Hash
	}{{".sha256", sha256.New()}, {".sha1", sha1.New()}} {
		published, err := s.get(ctx, url+sum.extension, maxSmall)
		switch {
		case errors.Is(err, errAbsent):
			continue
		case err != nil:
			return err
		}
		sum.hash.Write(text)
		want, _, _ := strings.Cut(strings.TrimSpace(string(published)), " ") // a file name may follow
		if !strings.EqualFold(want, hex.EncodeToString(sum.hash.Sum(nil))) {
			return newError(ReasonChecksum, url+" is not what its checksum "+sum.extension[1:]+" says", "publish it again", nil)
		}
		return nil
	}
	return nil
}

// get reads a file of at most this many bytes.
func (s *search) get(ctx context.Context, url string, most int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, unreachable(url, "cannot be asked for", err)
	}
	request.Header.Set("User-Agent", "dovetail")
	if s.definition.User != "" {
		request.SetBasicAuth(s.definition.User, s.definition.Password)
	}
	response, err := s.client.Do(request)
	if refused := outbound.Refused(err); refused != nil {
		return nil, hostRefused(refused)
	}
	if err != nil {
		return nil, unreachable(url, "does not answer", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, errAbsent
	case http.StatusUnauthorized, http.StatusForbidden:
		return nil, newError(ReasonUnauthorized, "the registry does not let "+reader(s.definition)+" read "+url, "correct the credential of the registry", nil)
	default:
		return nil, unreachable(url, "is answered with "+response.Status, nil)
	}
	text, err := limit.Limit{Bytes: most, Of: url, Remedy: "check that it is a solution descriptor, or ask the operator of the server to raise --max-artifact"}.ReadAll(response.Body)
	switch {
	case dovetail.CodeOf(err) == dovetail.CodeTooLarge:
		e := dovetail.AsError(err)
		return nil, newError(sd.ReasonArtifactTooLarge, e.Message, e.Remedy, nil)
	case err != nil:
		return nil, unreachable(url, "ends before its end", err)
	}
	return text, nil
}

func reader(d *Definition) string {
	if d.User == "" {
		return "users without a credential"
	}
	return "the user of its credential"
}

// hostRefused is the error of a host that may not be connected to, in the words of this package.
func hostRefused(refused *dovetail.Error) error {
	return newError(ReasonHostRefused, refused.Message, refused.Remedy, nil)
}

func unreachable(url, what string, cause error) error {
	return newError(ReasonUnreachable, url+" "+what, "check the registry and the way to it, then try again", cause)
}
