package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/resolution/fleet"
	resolved "github.com/dovetail-store/dovetail/src/resolution/state"
	"github.com/dovetail-store/dovetail/src/store"
)

// follower shows how the status of applied documents comes about: those that a controller keeps.
type follower struct {
	*session
	to      io.Writer
	pending map[dovetail.ID]string // their uids
	shown   map[dovetail.ID]string // the status as it was shown last
	failed  bool                   // one is settled, but not resolved
}

// newFollower returns one for the documents of the result.
func (s *session) newFollower(result *store.Result) *follower {
	f := &follower{session: s, to: s.Out, pending: make(map[dovetail.ID]string), shown: make(map[dovetail.ID]string)}
	if s.output != formatTable && s.output != formatWide {
		f.to = s.Err // the output is the result alone
	}
	for _, outcome := range result.Outcomes {
		if kind := outcome.Document.Kind; (kind == resolved.Kind || kind == fleet.Kind) && outcome.Effect != store.WasDeleted {
			f.pending[outcome.Document.ID] = outcome.Document.UID
		}
	}
	return f
}

// follow shows each status as it changes, until all speak of what was applied. The error is errDifferent when
// one of them is not resolved then, and CodeTimeout when the context ends before.
func (f *follower) follow(ctx context.Context, st Store, from store.Cursor) error {
	for id := range f.pending {
		doc, err := st.Get(ctx, id)
		if err != nil {
			return err
		}
		f.see(doc)
	}
	if len(f.pending) > 0 {
		for event, err := range st.Watch(ctx, from, store.WatchQuery{}) {
			if err != nil {
				return err
			}
			for _, change := range event.Changes {
				if change.Document != nil {
					f.see(change.Document)
				}
				if change.Op == store.Deleted && f.pending[change.ID] == change.UID {
					delete(f.pending, change.ID)
				}
			}
			if len(f.pending) == 0 {
				break
			}
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return dovetail.AsError(ctx.Err())
	case len(f.pending) > 0:
		return &dovetail.Error{Code: dovetail.CodeTimeout, Message: fmt.Sprintf("%s has no status yet", count(len(f.pending), "resolution")),
			Remedy: "see whether a server with the service `resolution` runs, and watch on with `dovetail get active-resolutions --watch`"}
	case f.failed:
		return errDifferent
	}
	return nil
}

// see shows the conditions of a document that is waited for, and what is selected, once it is settled.
func (f *follower) see(doc *dovetail.Document) {
	if _, waits := f.pending[doc.ID]; !waits || f.shown[doc.ID] == string(doc.Status) && len(doc.Status) > 0 {
		return
	}
	f.shown[doc.ID] = string(doc.Status)
	paint := f.paintOut()
	settled := resolved.Settled
	if doc.Kind == fleet.Kind {
		settled = fleet.Settled
	}
	if !settled(doc) {
		fmt.Fprintln(f.to, paint(dim, string(doc.ID)+": waiting"))
		return
	}
	delete(f.pending, doc.ID)
	conditions, lines := outcomeOf(doc)
	for _, c := range conditions {
		shade := green
		if bad := c.Type == resolved.ConditionDeprecated || c.Type == resolved.ConditionSelectionsStale; bad || c.Status != "True" {
			shade = yellow
		}
		f.failed = f.failed || c.Type == resolved.ConditionResolved && c.Status != "True"
		fmt.Fprintf(f.to, "%s: %s: %s\n", doc.ID, paint(shade, c.Type+"="+c.Status+" "+c.Reason), strings.ReplaceAll(c.Message, "\n", "\n  "))
	}
	for _, line := range lines {
		fmt.Fprintln(f.to, "  "+line)
	}
}

// outcomeOf returns the conditions of a status, and in lines what is selected: by an ActiveResolution, or on how many clusters of a set.
func outcomeOf(doc *dovetail.Document) ([]resolved.Condition, []string) {
	if doc.Kind != fleet.Kind {
		status := resolved.ReadStatus(doc)
		return status.Conditions, status.Selections
	}
	status := fleet.ReadStatus(doc)
	var lines []string
	for _, p := range status.Problems {
		lines = append(lines, p.Resolution+": "+p.Reason+": "+p.Message)
	}
	if status.MoreProblems > 0 {
		lines = append(lines, fmt.Sprintf("%d more are not as they are asked for", status.MoreProblems))
	}
	for _, v := range status.Versions {
		lines = append(lines, fmt.Sprintf("%s %s: %s", v.Package, v.Version, count(v.Clusters, "cluster")))
	}
	if status.MoreVersions > 0 {
		lines = append(lines, fmt.Sprintf("%d more versions are selected", status.MoreVersions))
	}
	return status.Conditions, lines
}
