package protocol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Level is the protocol level of a store, which all of its processes support: what MongoDB calls the feature compatibility version.
// Every process can read all levels up to the newest that it knows; the level only determines what it writes.
type Level int

// The levels.
const (
	ThreeSteps Level = 1 // all creations take three steps, as in versions of Dovetail without levels
	Implicit   Level = 2 // small groups of creations are committed by the check of their targets

	NewestLevel = Implicit
)

// A process that has not announced itself for MemberExpiry, by the server's clock, is considered stopped. A running process
// announces itself every AnnounceInterval.
const (
	MemberExpiry     = 11 * time.Minute
	AnnounceInterval = 5 * time.Minute
)

// Member is a process that has announced itself.
type Member struct {
	ID      string // globally unique
	Name    string // for operators
	Version string // of the program
	Knows   Level
	Seen    time.Time // by the server's clock
}

// Registry is the level of a store and the processes that use it.
type Registry struct {
	Level   Level
	Members []Member
	// Changes increases with every change of the registry, except that a member leaves, which no raise of the level need notice.
	Changes int64
}

// LevelServer stores the registry in one document: each method is atomic. Errors are those of Server.
type LevelServer interface {
	// Announce adds a member, or updates the time when it was last seen, and returns the updated registry.
	Announce(ctx context.Context, m Member) (Registry, error)
	// Leave removes a member.
	Leave(ctx context.Context, id string) error
	// RaiseLevel changes the level if the registry has not changed since it was read, and reports whether it did.
	RaiseLevel(ctx context.Context, read Registry, to Level) (bool, error)
}

// Join announces a process, which may then write at the level of the registry. If it does not know that level, the error is
// CodeInvalid, and the process must not use the store and is not a member.
func Join(ctx context.Context, s LevelServer, m Member) (Registry, error) {
	registry, err := s.Announce(ctx, m)
	if err != nil {
		return registry, err
	}
	if registry.Level > m.Knows {
		_ = s.Leave(ctx, m.ID) // otherwise it expires
		return registry, &dovetail.Error{Code: dovetail.CodeInvalid,
			Message: fmt.Sprintf("the store is at protocol level %d, and this version of Dovetail knows levels up to %d", registry.Level, m.Knows),
			Remedy:  "use the version of Dovetail that has raised the level, or a later one"}
	}
	return registry, nil
}

// maxRaises is how often Raise retries when the registry changes concurrently.
const maxRaises = 20

// Raise raises the level of a store on behalf of a member that has joined. The error is CodeConflict while a running member does
// not know the level. A process that joins concurrently either finds the raised level or is found as a member.
func Raise(ctx context.Context, s LevelServer, m Member, to Level) (from Level, err error) {
	for range maxRaises {
		registry, err := s.Announce(ctx, m)
		switch {
		case err != nil:
			return 0, err
		case registry.Level >= to:
			return registry.Level, nil
		}
		if behind := registry.Behind(m.ID, to); len(behind) > 0 {
			return registry.Level, errBehind(behind, to)
		}
		if raised, err := s.RaiseLevel(ctx, registry, to); err != nil || raised {
			return registry.Level, err
		}
	}
	return 0, &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "processes kept announcing themselves while the level was to be raised", Remedy: "try again"}
}

// Running returns the members considered running at the time now, in the order of their names.
func (r Registry) Running(now time.Time) []Member {
	running := slices.DeleteFunc(slices.Clone(r.Members), func(m Member) bool { return now.Sub(m.Seen) > MemberExpiry })
	slices.SortFunc(running, func(a, b Member) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return running
}

// Behind returns the running members that do not know a level, as of the last announcement of the member with the id.
func (r Registry) Behind(id string, level Level) []Member {
	var now time.Time
	for _, m := range r.Members {
		if m.ID == id {
			now = m.Seen
		}
	}
	return slices.DeleteFunc(r.Running(now), func(m Member) bool { return m.Knows >= level })
}

func errBehind(behind []Member, to Level) error {
	names := make([]string, len(behind))
	for i, m := range behind {
		names[i] = fmt.Sprintf("%s (version %s, knows level %d, seen %s)", m.Name, m.Version, m.Knows, m.Seen.UTC().Format(time.RFC3339))
	}
	return &dovetail.Error{Code: dovetail.CodeConflict, Message: fmt.Sprintf("processes run that do not know protocol level %d: %s", to, strings.Join(names, ", ")),
		Remedy: fmt.Sprintf("upgrade or stop them, and try again; one that died counts for %.0f minutes", MemberExpiry.Minutes())}
}
