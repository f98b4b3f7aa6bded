package instancerepo

import (
	"bytes"
	"context"
	"path"
	"path/filepath"

	"github.com/dovetail-store/dovetail/src/descriptor/sd"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/yaml"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/value"
)

// DescriptorJob processes the SDs of one environment.
type DescriptorJob struct {
	Environment inventory.Environment
	Request     *sd.Request
	Artifacts   sd.Artifacts // may be nil where the request names none
	// CopyTo is a folder that gets copies of both SD files; "" if there is none.
	CopyTo string
}

// DescriptorReport is what a job did.
type DescriptorReport struct {
	*sd.Outcome
	Files []WrittenFile // the full SD, then the delta SD, if it was written
}

// WrittenFile tells what happened to a file.
type WrittenFile struct {
	Path   string `json:"path"` // in the repository
	Effect Effect `json:"effect"`
}

// Effect is what was done to a file.
type Effect string

// The effects.
const (
	WasCreated   Effect = "created"
	WasUpdated   Effect = "updated"
	WasUnchanged Effect = "unchanged"
	WasRemoved   Effect = "removed"
)

// ProcessDescriptors fetches, merges and writes the SDs of an environment: both files and their
// copies, or, after an error, none of them. Comments in the stored full SD stay with what stays of it.
// Errors are those of the descriptor package, of CodeConflict when there are sd.yml and sd.yaml, and
// of CodeForbidden and CodeInternal when a file cannot be read or written.
func (r *Repository) ProcessDescriptors(ctx context.Context, job DescriptorJob) (*DescriptorReport, error) {
	full, err := r.readDescriptor(job.Environment, "sd")
	if err != nil {
		return nil, err
	}
	delta, err := r.readDescriptor(job.Environment, "delta_sd")
	if err != nil {
		return nil, err
	}
	incoming, err := job.Request.Fetch(ctx, job.Artifacts)
	if err != nil {
		return nil, err
	}
	state := sd.State{Environment: job.Environment.String(), Full: full.sd}
	if !job.Request.Replaces() && full.err != nil {
		return nil, full.err
	}
	if state.Namespaces, err = r.Namespaces(job.Environment); err != nil {
		return nil, err
	}
	if state.Domain, err = r.domain(job.Environment); err != nil {
		return nil, err
	}
	outcome, err := job.Request.Process(incoming, state)
	if err != nil {
		return nil, err
	}
	report := &DescriptorReport{Outcome: outcome}
	var changes []change
	for _, s := range []struct {
		stored stored
		to     *sd.Descriptor
	}{{full, outcome.Full}, {delta, outcome.Delta}} {
		text := s.stored.data
		if s.to != nil {
			text = s.stored.text(s.to.Value())
			written := WrittenFile{Path: s.stored.path, Effect: s.stored.effect(text)}
			report.Files = append(report.Files, written)
			if written.Effect != WasUnchanged {
				changes = append(changes, change{r.full(s.stored.path), text})
			}
		}
		if job.CopyTo != "" && text != nil {
			changes = append(changes, change{filepath.Join(job.CopyTo, path.Base(s.stored.path)), text})
		}
	}
	if ctx.Err() != nil {
		return nil, dovetail.AsError(ctx.Err())
	}
	return report, writeAll(changes)
}

// stored is an SD file.
type stored struct {
	file
	sd  *sd.Descriptor // nil when it is absent, empty or malformed
	err error          // when it is malformed
}

// readDescriptor reads an SD file of an environment, with the extension yml or yaml.
func (r *Repository) readDescriptor(env inventory.Environment, name string) (stored, error) {
	base := pathOf(env, "Inventory", "solution-descriptor", name)
	f, err := r.read(base+".yml", base+".yaml")
	s := stored{file: f}
	if err == nil && len(bytes.TrimSpace(f.data)) > 0 {
		s.sd, s.err = sd.ParseStored(f.path, f.data)
	}
	return s, err
}

// text writes the new SD over the stored one.
func (s stored) text(to *value.Value) []byte {
	if s.sd == nil {
		return yaml.Marshal(to)
	}
	return yaml.EditClassic(s.data, s.sd.Value(), to)
}

func (s stored) effect(text []byte) Effect {
	switch {
	case s.data == nil:
		return WasCreated
	case bytes.Equal(s.data, text):
		return WasUnchanged
	}
	return WasUpdated
}
