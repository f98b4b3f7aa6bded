package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/layering/base"
	"github.com/dovetail-store/dovetail/src/layering/krm"
)

func newLayeringLockCommand(s *session) *cobra.Command {
	var files []string
	var verify bool
	cmd := &cobra.Command{
		Use:   "lock -f FILE|DIRECTORY...",
		Short: "Pin the commits and artifacts of bases",
		Long: `Resolve each base of a Layering in the files to its current commit or artifact, and write it with the digest of its
files to layering.lock, beside the file that names the base. All other commands use the locked bases: from
the user's cache if they are there, and otherwise from the repository or registry. Keep the lock file with the
Layering; run this again to update the bases.

--verify writes nothing, and the exit code is 1 if a lock file would change.`,
		Example: `  dovetail layering lock -f shop/
  dovetail layering lock -f shop/ --verify`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.only(cmd, formatYAML, formatJSON); err != nil {
				return err
			}
			return s.lockBases(cmd, files, verify)
		},
	}
	cmd.Flags().StringArrayVarP(&files, "file", "f", nil, "a file or directory with a Layering; may be repeated")
	check(cmd.MarkFlagRequired("file"))
	s.ageKeyFlag(cmd)
	cmd.Flags().BoolVar(&verify, "verify", false, "write nothing, and fail if a lock file would change")
	return cmd
}

func (s *session) lockBases(cmd *cobra.Command, names []string, verify bool) error {
	if slices.Contains(names, "-") {
		return usagef(cmd, "the lock file stands beside a file, so -f must name one")
	}
	sources := s.layeredFiles(cmd.Context())
	next, err := s.resolveBases(sources, names)
	if err != nil {
		return s.refuseLayered(err)
	}
	result := shown{table: table{header: []string{"LOCK FILE", "BASE", "REVISION", "DIGEST", "CHANGE"}}}
	changes := 0
	for _, file := range sortedKeys(next) {
		before, err := s.readLock(file)
		if err != nil && !isMissingFile(file) {
			return err
		}
		for _, locked := range next[file] {
			change := changeOfBase(before, locked)
			if change != "" {
				changes++
			}
			item, err := valueOf(map[string]string{"lockFile": file, "base": locked.Name, "revision": locked.Revision, "digest": locked.Digest, "change": change})
			if err != nil {
				return err
			}
			result.items = append(result.items, item)
			result.names = append(result.names, locked.Name)
			result.table.add(file, locked.Name, locked.Revision, locked.Digest, change)
		}
		if len(before) > len(next[file]) {
			changes++
		}
		if verify {
			continue
		}
		if err := os.WriteFile(file, next[file].Text(), 0o644); err != nil { //nolint:gosec // it is kept with the Layering, and no secret
			return unwritable(err)
		}
	}
	s.show(result)
	return different(verify && changes > 0)
}

// resolveBases finds what the bases in files are now, by the lock file that they belong to.
func (s *session) resolveBases(sources *layeredFiles, names []string) (map[string]base.Lock, error) {
	files, err := expand(names, isLayeredFile)
	if err != nil {
		return nil, err
	}
	next := make(map[string]base.Lock)
	for _, name := range files {
		f, err := sources.file(name)
		if err != nil {
			return nil, err
		}
		bases, err := krm.BasesOf(f)
		if err != nil {
			return nil, err
		}
		for _, b := range bases {
			file := lockOf(name)
			if slices.ContainsFunc(next[file], func(other base.Locked) bool { return other.Name == b.Name && other.Source != base.Source(b) }) {
				return nil, &dovetail.Error{Code: dovetail.CodeConflict, Message: "two Layerings beside " + file + " have different bases " + b.Name, Remedy: "name one of them otherwise"}
			}
			if slices.ContainsFunc(next[file], func(other base.Locked) bool { return other.Name == b.Name }) {
				continue
			}
			locked, err := s.bases().Resolve(sources.ctx, base.Source(b))
			if err != nil {
				e := *dovetail.AsError(err)
				e.Message = "the base " + b.Name + " cannot be read: " + e.Message
				return nil, &e
			}
			next[file] = append(next[file], locked)
		}
	}
	if len(next) == 0 {
		return nil, &dovetail.Error{Code: dovetail.CodeNotFound, Message: "no Layering in the files has bases", Remedy: "name the file of one"}
	}
	return next, nil
}

// changeOfBase says what a base is to a lock file: new, changed, or "" for the same.
func changeOfBase(lock base.Lock, locked base.Locked) string {
	for _, was := range lock {
		switch {
		case was.Name != locked.Name:
		case was == locked:
			return ""
		default:
			return fmt.Sprintf("was %.12s", was.Revision)
		}
	}
	return "new"
}

func isMissingFile(name string) bool {
	_, err := os.Stat(name)
	return os.IsNotExist(err)
}
