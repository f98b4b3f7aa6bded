package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/manifest"
	"github.com/dovetail-store/dovetail/src/internal/server/fieldmanager"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// defaultFieldManager is who applies files where --field-manager does not say it. It is not who writes in other ways, so that a conflict
// tells the two apart.
const defaultFieldManager = "dovetail-apply"

// Who changes fields by other verbs than apply.
const (
	editManager  = "dovetail-edit"
	patchManager = "dovetail-patch"
	labelManager = "dovetail-label"
)

// fields are the flags that say whose fields the manifests are.
type fields struct {
	manager        string
	force          bool // take what others have set or changed
	replace        bool
	kustomizations []string // folders that kustomize builds
}

func (f *fields) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.manager, "field-manager", defaultFieldManager, "the `NAME` of the field manager of these files; fields that they no longer have are removed")
	flags.BoolVar(&f.force, "force-conflicts", false, "take over fields of other managers, and overwrite documents that were changed since the files were written")
	flags.BoolVar(&f.replace, "replace", false, "replace whole documents: also remove fields of other managers that are not in the files")
	flags.StringArrayVarP(&f.kustomizations, "kustomize", "k", nil, "a `DIR` with a kustomization.yaml, which kustomize or kubectl builds; may be repeated")
	check(cmd.MarkFlagDirname("kustomize"))
	noFileCompletion(cmd, "field-manager")
}

// read reads manifests of the field manager.
func (f *fields) read(s *session, model *schema.Model, files []string) ([]store.Operation, error) {
	if _, err := fieldmanager.By(f.manager); err != nil {
		return nil, inFlag(err, "--field-manager")
	}
	var operations []store.Operation
	if len(files) > 0 {
		var err error
		if operations, err = s.readManifestsWith(f.operations, model, files); err != nil {
			return nil, err
		}
	}
	for _, dir := range f.kustomizations {
		text, err := s.kustomized(dir)
		if err != nil {
			return nil, err
		}
		built, err := readText(f.operations, manifest.NewKinds(model), dir, text)
		if err != nil {
			return nil, err
		}
		operations = append(operations, built...)
	}
	return operations, nil
}

// operations makes operations of the manifests of a file.
func (f *fields) operations(kinds *manifest.Kinds, file string, values []*value.Value) ([]store.Operation, error) {
	if !f.replace {
		return manifest.Applied(kinds, file, values, f.manager, f.force)
	}
	operations, err := manifest.Operations(kinds, file, values)
	for i := range operations {
		operations[i].FieldManager = f.manager
	}
	return operations, err
}

// withForce says how fields of other managers are taken on the command line.
func withForce(refusal error) error {
	for _, part := range parts(dovetail.AsError(refusal)) {
		if part.Reason == store.ReasonFieldManager {
			part.Remedy = "leave it out of the file, give it the value that is stored, or take it over with --force-conflicts"
		}
	}
	return refusal
}

// applied is what applying fields makes of a document that has data, both nil if there is none, and why it is refused without force, nil where it is not.
func applied(doc *dovetail.Document, data *value.Value, op store.Operation) (next *value.Value, refused *dovetail.Error, err error) {
	by, err := fieldmanager.By(op.FieldManager)
	if err != nil {
		return nil, nil, err
	}
	var entries fieldmanager.Entries
	if doc != nil {
		managed, err := store.ManagedFields(doc)
		if err != nil {
			return nil, nil, err
		}
		if entries, err = fieldmanager.Parse(managed); err != nil {
			return nil, nil, err
		}
	}
	config := withoutStatus(op.Data)
	next, _, conflicts := fieldmanager.Apply(data, config, entries, by, fieldmanager.Force(op.Force))
	if len(conflicts) == 0 {
		return next, nil, nil
	}
	var all []string
	for _, c := range conflicts[:min(len(conflicts), dovetail.MaxErrors)] {
		all = append(all, strings.Join(c.Path, ".")+": "+c.Error())
	}
	slices.Sort(all)
	if more := len(conflicts) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	next, _, _ = fieldmanager.Apply(data, config, entries, by, fieldmanager.ForceAll)
	return next, &dovetail.Error{Code: dovetail.CodeConflict, Reason: store.ReasonFieldManager, Key: op.ID, Position: op.Position,
		Message: "others have set fields of " + string(op.ID) + ": " + strings.Join(all, "; "), Remedy: "leave them out of the file, or take them over with --force-conflicts"}, nil
}

// statusOf is the status of a document as people see it: without who set which fields. It is nil where that is all, or there is none.
func statusOf(doc *dovetail.Document) (*value.Value, error) {
	if len(doc.Status) == 0 {
		return nil, nil
	}
	status, err := value.StatusOf(doc)
	if err != nil || status.Kind != value.Map || !store.HasManagedFields(doc.Status) {
		return status, err
	}
	if status.Delete(store.ManagedFieldsMember); len(status.Members) == 0 {
		return nil, nil
	}
	return status, nil
}
