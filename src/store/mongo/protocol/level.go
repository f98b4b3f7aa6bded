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

// Level is what the processes of a store may write, since all of them understand it: what MongoDB calls the feature compatibility version.
// Every process understands all levels up to the one that it knows, so that only what it writes depends on the level.
type Level int

// The levels.
const (
	ThreeSteps Level = 1 // all creations take three steps, as in versions of Dovetail that knew no levels
	Implicit   Level = 2 // creations of few documents are committed by their check

	NewestLevel = Implicit
)

// How long a process that has not announced itself counts as one that runs, by the server's clock, and how often it announces itself.
const (
	MemberExpiry     = 11 * time.Minute
	AnnounceInterval = 5 * time.Minute
)

// Member is a process that has announced itself.
type Member struct {
	ID      string // never the same twice
	Name    string // for operators
	Version string // of the program
	Knows   Level
	Seen    time.Time // by the server's clock
}

// Registry is the level of a store and the processes that use it.
type Registry struct {
	Level   Level
	Members []Member
	// Changes grows with every change of the registry.
	Changes int64
}

// LevelServer keeps the registry, as one document: each step is atomic. Errors are those of Server.
type LevelServer interface {
	// Announce adds a member, or notes that it was seen now, and returns the registry with that.
	Announce(ctx context.Context, m Member) (Registry, error)
	// Leave removes a member.
	Leave(ctx context.Context, id string) error
	// RaiseLevel changes the level if the registry has not changed since it was read, and says whether.
	RaiseLevel(ctx context.Context, read Registry, to Level) (bool, error)
}

// Join announces a process, which may use the level of the registry from then on. Once a level is there that it does not know, it must not
// go on: the error is CodeInvalid, and the process is no member.
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

// maxRaises is how often Raise looks again who has announced itself meanwhile.
const maxRaises = 20

// Raise raises the level of a store for a member that has joined. It is refused, with CodeConflict, while a member runs that does not know the level.
// A process that joins at the same time finds either the level raised, or is found.
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

// Running are the members that count as running, at the time at which a member was seen last, in the order of their names.
func (r Registry) Running(now time.Time) []Member {
	running := slices.DeleteFunc(slices.Clone(r.Members), func(m Member) bool { return now.Sub(m.Seen) > MemberExpiry })
	slices.SortFunc(running, func(a, b Member) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return running
}

// Behind are the members that do not know a level, of those that count as running while the member of the id, who has just announced itself, does.
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
