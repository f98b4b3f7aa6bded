package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ChangeSets creates, reviews and merges the change sets of a server. To stage and read documents in a change set, use the client
// that InChangeSet returns. It is safe for concurrent use.
//
// Errors of all methods: CodeNotFound if the change set does not exist, CodeConflict with ReasonNotOpen if its
// state does not allow this. Methods use Key and Message of store.Options, and DryRun only if their comment says so.
type ChangeSets struct{ client *Client }

// ChangeSets returns the change sets of the server.
func (c *Client) ChangeSets() *ChangeSets { return &ChangeSets{c.of(scope{})} }

const changeSetsPath = "/api/change-sets"

func changeSetPath(name string) string { return changeSetsPath + "/" + url.PathEscape(name) }

// read reads a part of a change set into out.
func (s *ChangeSets) read(ctx context.Context, name, part string, out any) error {
	return s.client.call(ctx, request{method: http.MethodGet, path: changeSetPath(name) + part}, out)
}

// write sends a body, nil if there is none, with a verb and returns the answer in out.
func (s *ChangeSets) write(ctx context.Context, method, path string, body any, options store.Options, out any) error {
	r := request{method: method, path: path, query: url.Values{}, header: headerOf(options), writes: !options.DryRun}
	if options.DryRun {
		r.query.Set("dryRun", "true")
	}
	if body != nil {
		text, err := encode(body)
		if err != nil {
			return err
		}
		r.body = text
	}
	return s.client.call(ctx, r, out)
}

// edit is write that answers the change set.
func (s *ChangeSets) edit(ctx context.Context, method, path string, body any, options store.Options) (*api.ChangeSet, error) {
	edited := new(api.ChangeSet)
	if err := s.write(ctx, method, path, body, options, edited); err != nil {
		return nil, err
	}
	return edited, nil
}

// Create creates an open change set based on the current position. The error has CodeExists if the name is taken.
func (s *ChangeSets) Create(ctx context.Context, c api.NewChangeSet, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetsPath, c, options)
}

// ChangeSetQuery selects change sets. Zero fields select all.
type ChangeSetQuery struct {
	State  api.ChangeSetState
	Author string
}

// List yields change sets without their operations, ordered by name.
func (s *ChangeSets) List(ctx context.Context, q ChangeSetQuery) iter.Seq2[*api.ChangeSet, error] {
	query := url.Values{"limit": {strconv.Itoa(changeSetPage)}}
	for name, text := range map[string]string{"state": string(q.State), "author": q.Author} {
		if text != "" {
			query.Set(name, text)
		}
	}
	return pages[*api.ChangeSet](ctx, s.client, request{method: http.MethodGet, path: changeSetsPath, query: query})
}

// changeSetPage is how many change sets are asked for at a time.
const changeSetPage = 100

// Get returns a change set.
func (s *ChangeSets) Get(ctx context.Context, name string) (*api.ChangeSet, error) {
	c := new(api.ChangeSet)
	if err := s.read(ctx, name, "", c); err != nil {
		return nil, err
	}
	return c, nil
}

// Edit changes the title and the description of an open change set.
func (s *ChangeSets) Edit(ctx context.Context, name string, e api.ChangeSetEdit) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPatch, changeSetPath(name), e, store.Options{})
}

// Delete deletes a change set.
func (s *ChangeSets) Delete(ctx context.Context, name string) error {
	answer, err := s.client.do(ctx, request{method: http.MethodDelete, path: changeSetPath(name), writes: true})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Drop removes the staged operation on a document from an open change set. The error has CodeNotFound if there is none.
func (s *ChangeSets) Drop(ctx context.Context, name string, id dovetail.ID) (*api.ChangeSet, error) {
	dropped := new(api.ChangeSet)
	r := request{method: http.MethodDelete, path: changeSetPath(name) + "/operations", query: url.Values{"id": {string(id)}}, writes: true}
	if err := s.client.call(ctx, r, dropped); err != nil {
		return nil, err
	}
	return dropped, nil
}

// Diff returns the changes of a change set relative to its base.
func (s *ChangeSets) Diff(ctx context.Context, name string) (*api.ChangeSetDiff, error) {
	diff := new(api.ChangeSetDiff)
	if err := s.read(ctx, name, "/diff", diff); err != nil {
		return nil, err
	}
	return diff, nil
}

// Check reports whether a change set could be merged now, and lists what prevents it.
func (s *ChangeSets) Check(ctx context.Context, name string) (*api.ChangeSetCheck, error) {
	check := new(api.ChangeSetCheck)
	if err := s.read(ctx, name, "/check", check); err != nil {
		return nil, err
	}
	return check, nil
}

// Impact returns what a merge would change in the results that services derive from documents: effective sets, rendered documents,
// resolutions. The errors are those of Merge, except those about approvals.
func (s *ChangeSets) Impact(ctx context.Context, name string) (*api.ChangeSetImpact, error) {
	impact := new(api.ChangeSetImpact)
	if err := s.read(ctx, name, "/impact", impact); err != nil {
		return nil, err
	}
	return impact, nil
}

// Review approves, rejects or comments on an open change set. Approvals by its authors do not count.
func (s *ChangeSets) Review(ctx context.Context, name string, decision api.Decision, comment string, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/reviews", api.NewReview{Decision: decision, Comment: comment}, options)
}

// Merge applies an open change set to the current documents in one transaction; with options.DryRun it only checks whether it could.
// Errors: CodeConflict with ReasonApprovalsMissing, or with ReasonChangeSetConflict, for which ConflictsOf returns the conflicts to
// resolve with Rebase; and those of Client.Apply.
func (s *ChangeSets) Merge(ctx context.Context, name string, options store.Options) (*api.ChangeSetMerge, error) {
	merge := new(api.ChangeSetMerge)
	if err := s.write(ctx, http.MethodPost, changeSetPath(name)+"/merge", api.Merge{}, options, merge); err != nil {
		return nil, err
	}
	return merge, nil
}

// Propose pushes the changes of a change set as the only commit of a branch of the attached Git repository, for a merge request there.
// branch "" means the current branch of the proposal, or change-set/NAME. When the branch is merged on the Git host, the change set is
// merged. Errors: CodeConflict with ReasonForeignCommits if the branch has commits of others, CodeUnprocessable with
// ReasonNotInRepository, and those of Merge, except those about approvals.
func (s *ChangeSets) Propose(ctx context.Context, name, branch string, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/propose", api.Propose{Branch: branch}, options)
}

// Rebase moves the base of an open change set to the current position and merges the changes made since the old base; with
// options.DryRun it only checks whether it could. resolve decides conflicts. Conflicts that it does not decide are the same error as
// those of Merge.
func (s *ChangeSets) Rebase(ctx context.Context, name string, resolve []api.Resolution, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/rebase", api.Rebase{Resolve: resolve}, options)
}

// Close closes an open change set without merging it: it can no longer be edited or merged, unless it is reopened.
func (s *ChangeSets) Close(ctx context.Context, name string, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/close", nil, options)
}

// Reopen opens a closed change set again.
func (s *ChangeSets) Reopen(ctx context.Context, name string, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/reopen", nil, options)
}

// Revert creates a change set that reverts a merged one; it is merged like any other. The name and title of the new one may be
// empty. Errors: those of Client.Revert.
func (s *ChangeSets) Revert(ctx context.Context, name string, c api.NewChangeSet, options store.Options) (*api.ChangeSet, error) {
	return s.edit(ctx, http.MethodPost, changeSetPath(name)+"/revert", c, options)
}
