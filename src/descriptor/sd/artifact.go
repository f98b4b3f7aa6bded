package sd

import (
	"context"
	"strconv"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Artifact names an SD that was published under a version.
type Artifact struct {
	Application string
	Version     string
}

// String gives application:version.
func (a Artifact) String() string { return a.Application + ":" + a.Version }

// ParseArtifact reads application:version. The error has the reason ReasonParamInvalid.
func ParseArtifact(text string) (Artifact, error) {
	application, version, _ := strings.Cut(text, ":")
	if application == "" || version == "" {
		return Artifact{}, newFault(ReasonParamInvalid, dovetail.Position{}, "write the application, a colon and the version",
			strconv.Quote(text)+" is not of the form application:version")
	}
	return Artifact{Application: application, Version: version}, nil
}

// Artifacts finds SDs that were published. It may be called by any number of goroutines.
type Artifacts interface {
	// Fetch returns the text of an artifact's SD, JSON or YAML, and what errors should call it. The
	// error is a *dovetail.Error with a reason that says what is missing: ReasonArtifactNotFound when it
	// is the artifact itself.
	Fetch(ctx context.Context, artifact Artifact) (source string, text []byte, err error)
}

// NotFound is the error for an artifact that is not where it was looked for.
func (a Artifact) NotFound(where string) error {
	return newFault(ReasonArtifactNotFound, dovetail.Position{File: a.String()}, "check its name and version, or publish it",
		"the artifact is not in "+where)
}

// Fetch returns the SDs that the request names or holds, in order. What is wrong with any of them is
// reported together. artifacts may be nil if there are none.
func (r *Request) Fetch(ctx context.Context, artifacts Artifacts) ([]*Descriptor, error) {
	if len(r.Artifacts) == 0 {
		return r.Data, nil
	}
	if artifacts == nil {
		return nil, r.Artifacts[0].NotFound("reach: no source of artifacts is set up")
	}
	sds := make([]*Descriptor, len(r.Artifacts))
	var f faults
	for i, artifact := range r.Artifacts {
		source, text, err := artifacts.Fetch(ctx, artifact)
		if err == nil {
			sds[i], err = Parse(source, text)
		}
		if ctx.Err() != nil {
			return nil, dovetail.AsError(ctx.Err())
		}
		f.Join(err)
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return sds, nil
}
