package artifact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// maxFile bounds the size of an SD, in bytes.
const maxFile = 16 << 20

// Folder is a folder with artifacts as files, named <application>-<version> and .json, .yaml or .yml.
// Of several the first in this order counts. Files outside of the folder are never read, also not
// through links.
type Folder string

var _ sd.Artifacts = Folder("")

// Fetch returns the content of the artifact's file, whose name is the source. Errors are
// *dovetail.Error with the artifact as file: of descriptor.ReasonArtifactNotFound, also when the
// folder does not exist; of ReasonArtifactTooLarge above 16 MiB; of CodeInternal when it cannot be
// read.
func (f Folder) Fetch(ctx context.Context, a sd.Artifact) (source string, text []byte, err error) {
	if ctx.Err() != nil {
		return "", nil, dovetail.AsError(ctx.Err())
	}
	base := a.Application + "-" + a.Version
	if strings.ContainsAny(base, `/\`) || strings.ContainsRune(base, 0) {
		return "", nil, a.NotFound("the folder " + string(f))
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return "", nil, f.failed(a, err)
	}
	defer root.Close()
	for _, extension := range []string{".json", ".yaml", ".yml"} {
		file, err := root.Open(base + extension)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, f.failed(a, err)
		}
		defer file.Close()
		text, err := limit.Limit{Bytes: maxFile, Of: "the artifact", Remedy: "check that it is a solution descriptor"}.ReadAll(file)
		if over := dovetail.AsError(err); dovetail.CodeOf(err) == dovetail.CodeTooLarge {
			over.Reason, over.Position = sd.ReasonArtifactTooLarge, dovetail.Position{File: a.String()}
			return "", nil, over
		}
		if err != nil {
			return "", nil, f.failed(a, err)
		}
		return filepath.Join(string(f), base+extension), text, nil
	}
	return "", nil, a.NotFound("the folder " + string(f))
}

func (f Folder) failed(a sd.Artifact, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return a.NotFound("the folder " + string(f) + ", which does not exist")
	}
	if e := dovetail.Outside(err); e != nil {
		e.Position.File, e.Message = a.String(), "the artifact cannot be read from the folder "+string(f)+": "+e.Message
		return e
	}
	return &dovetail.Error{Code: dovetail.CodeInternal, Position: dovetail.Position{File: a.String()}, Err: err,
		Message: "the artifact cannot be read from the folder " + string(f), Remedy: "check its permissions"}
}
