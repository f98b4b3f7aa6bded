package gitrepo

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// What one commit may have. Folders of the same content are one object of Git, so that a few hundred bytes can stand for more files than any computer
// can list.
const (
	maxPaths     = 2_000_000 // of files and folders
	maxPathBytes = 4096      // of one path, as on Linux
	maxAllBytes  = 256 << 20 // of all paths
	maxHeld      = 500_000   // entries of a folder and the folders that it is in, which are in memory together
)

// bounds count what is visited of a commit, or of the difference between two.
type bounds struct{ paths, bytes, held int }

// enter counts the entries of a folder at a path, or of the two that are compared, while they are in memory, and refuses the commit where
// there are too many. Leave the folder.
func (b *bounds) enter(path string, entries int) error {
	if b.held += entries; b.held > maxHeld {
		return refuseCommit(path, fmt.Sprintf("folders in each other with more than %d files and folders", maxHeld))
	}
	return nil
}

func (b *bounds) leave(entries int) { b.held -= entries }

// visit counts a path, and refuses the commit where there are too many, or the path is too long.
func (b *bounds) visit(path string) error {
	b.paths++
	b.bytes += len(path)
	var what string
	switch {
	case len(path) > maxPathBytes:
		what, path = fmt.Sprintf("folders in each other whose path has more than %d bytes", maxPathBytes), path[:100]+"…"
	case b.paths > maxPaths:
		what = fmt.Sprintf("more than %d files and folders", maxPaths)
	case b.bytes > maxAllBytes:
		what = fmt.Sprintf("files and folders whose paths have more than %d bytes", maxAllBytes)
	default:
		return nil
	}
	return refuseCommit(path, what)
}

func refuseCommit(path, what string) error {
	const shown = 200
	if len(path) > shown {
		path = path[:shown] + "…"
	}
	return &dovetail.Error{Code: dovetail.CodeUnprocessable, Reason: ReasonTooLarge, Position: dovetail.Position{File: path},
		Message: "the commit has " + what + ", so that it is not read", Remedy: "take out what is not configuration, such as folders that repeat each other"}
}

// ReasonTooLarge is that of a commit with more files and folders than are read, or deeper ones, and of a repository with more or larger objects or references.
const ReasonTooLarge = "REPO_TOO_LARGE"
