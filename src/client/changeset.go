package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

// ChangeSet is a set of proposed changes of documents, over a base position, with reviews.
type ChangeSet struct {
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	State       ChangeSetState `json:"state"`
	Author      string         `json:"author"`
	Authors     []string       `json:"authors"` // the author and all users who staged operations
	Base        store.Cursor   `json:"base"`    // the position at which it was created, or to which it was rebased
	Created     time.Time      `json:"created"`
	// Operations are the staged operations, in the order of ids. Lists of change sets omit them.
	Operations []StagedOperation `json:"operations,omitempty"`
	Total      int               `json:"total"`                // of operations
	Unreadable int               `json:"unreadable,omitempty"` // operations on documents that may not be read
	Reviews    []Review          `json:"reviews,omitempty"`
	Reverts    store.Cursor      `json:"reverts,omitempty"` // the transaction that it reverts
	// Proposal is the Git branch on which it is proposed, nil if there is none.
	Proposal *ChangeSetProposal `json:"proposal,omitempty"`
	Merged   *Ending            `json:"merged,omitempty"` // nil unless it is merged
	Closed   *Ending            `json:"closed,omitempty"` // nil unless it is closed
	Version  string             `json:"version"`          // changes with every edit and review
}

// ChangeSetState is the state of a change set.
type ChangeSetState string

// The states of a change set.
const (
	ChangeSetOpen   ChangeSetState = "open"
	ChangeSetMerged ChangeSetState = "merged"
	ChangeSetClosed ChangeSetState = "closed"
)

// The reasons of errors about change sets.
const (
	// ReasonProtected: the documents are protected and can only be changed by an approved change set.
	ReasonProtected = "PROTECTED"
	// ReasonChangeSetConflict: the merge or rebase conflicts with changes since the base; ConflictsOf returns the conflicts.
	ReasonChangeSetConflict = "CHANGE_SET_CONFLICT"
	// ReasonNotOpen: the state of the change set does not allow this.
	ReasonNotOpen = "CHANGE_SET_NOT_OPEN"
	// ReasonApprovalsMissing: a protection requires more approvals for the merge, or a reviewer has rejected it.
	ReasonApprovalsMissing = "APPROVALS_MISSING"
	// ReasonForeignCommits: the branch of the proposal has commits of others.
	ReasonForeignCommits = "FOREIGN_COMMITS"
	// ReasonNotInRepository: the Git repository cannot contain some of the proposed documents.
	ReasonNotInRepository = "NOT_IN_REPOSITORY"
)

// StagedOperation is the operation of a change set on one document. ID and Kind are empty if the principal may not read it.
type StagedOperation struct {
	ID   dovetail.ID `json:"id,omitempty"`
	Kind string      `json:"kind,omitempty"`
	Verb string      `json:"verb"` // create, update or delete
	By   string      `json:"by"`
	Time time.Time   `json:"time"`
}

// Decision is the decision of a review.
type Decision string

// The decisions of reviews.
const (
	Approve Decision = "approve"
	Reject  Decision = "reject"
	Comment Decision = "comment"
)

// Review is the review of a change set by one user.
type Review struct {
	By       string    `json:"by"`
	Groups   []string  `json:"groups,omitempty"` // of the reviewer, as they were
	Decision Decision  `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	Time     time.Time `json:"time"`
	// Current says that the operations have not changed since the review: an edit invalidates approvals.
	Current bool `json:"current"`
}

// Ending says who merged or closed a change set, and when.
type Ending struct {
	Position store.Cursor `json:"position,omitempty"` // of the transaction of a merge
	Commit   string       `json:"commit,omitempty"`   // that merged the branch of a proposal
	By       string       `json:"by"`
	Time     time.Time    `json:"time"`
}

// ChangeSetProposal is a branch of the attached Git repository on which a change set is proposed.
type ChangeSetProposal struct {
	Branch  string    `json:"branch"`
	Into    string    `json:"into,omitempty"`   // the branch that the store follows
	Commit  string    `json:"commit,omitempty"` // the only one of the branch; empty until the push is confirmed
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Current bool      `json:"current"` // the branch has the current operations
	// Differs is a commit that merged the branch with different content. Check lists what is missing.
	Differs string `json:"differs,omitempty"`
}

// Remaining lists the staged changes of a document that are not in the store.
type Remaining struct {
	ID      dovetail.ID   `json:"id"`
	Changes []ValueChange `json:"changes"` // relative to the current document
}

// ChangeSetDiff lists the changes of a change set relative to its base.
type ChangeSetDiff struct {
	Operations []DocumentChange `json:"operations"`
	Unreadable int              `json:"unreadable,omitempty"` // operations omitted because the principal may not read their documents
}

// DocumentChange lists the changes of a change set to one document.
type DocumentChange struct {
	StagedOperation
	Changes []ValueChange `json:"changes"`
	Files   []string      `json:"files,omitempty"` // the names of changed files
}

// ValueChange is a changed value. From is nil if it was added, To if it was removed.
type ValueChange struct {
	Op   string          `json:"op"`   // add, remove or replace
	Path string          `json:"path"` // as a JSON Pointer; "" for the whole
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// MergeConflict is a value that was changed both by a change set and, since its base, in the store. An empty path means the
// whole document. A value that does not exist is nil.
type MergeConflict struct {
	ID      dovetail.ID     `json:"id"`
	Path    string          `json:"path"`
	Message string          `json:"message"`
	Base    json.RawMessage `json:"base,omitempty"`
	Staged  json.RawMessage `json:"staged,omitempty"`
	Now     json.RawMessage `json:"now,omitempty"`
}

// ChangeSetCheck reports whether a change set could be merged now.
type ChangeSetCheck struct {
	Mergeable   bool
	Conflicts   []MergeConflict
	Errors      []*dovetail.Error // with which the store would refuse the merge
	Protections []Approvals
	RejectedBy  []string // reviewers who have rejected the current operations
	// Remaining lists the changes that are not in the store, if the branch of the change set was merged with different content.
	Remaining  []Remaining
	Unreadable int // operations not checked because the principal may not read their documents
}

// Approvals are the approvals that a protection requires for a change set. See dovetail.Protection.
type Approvals struct {
	On         []string `json:"on"`           // the protected ids
	Approvals  int      `json:"approvals"`    // how many approvals it requires
	By         []string `json:"by,omitempty"` // whose approvals count; empty for any user
	Message    string   `json:"message,omitempty"`
	ApprovedBy []string `json:"approvedBy"`
	Missing    int      `json:"missing"`
}

// ChangeSetImpact lists what a merge would change in the results that services derive from documents.
type ChangeSetImpact struct {
	Items      []ImpactItem `json:"items"`
	Total      int          `json:"total"`                // of items
	Unchanged  []ImpactItem `json:"unchanged"`            // results that were calculated and do not change
	Same       int          `json:"unchangedTotal"`       // how many of those there are
	Unreadable int          `json:"unreadable,omitempty"` // results that the principal may not read, changed or not
	Incomplete bool         `json:"incomplete,omitempty"` // there may be more items
}

// ImpactItem is a derived result that would change, such as an effective set.
type ImpactItem struct {
	Service      string         `json:"service"`
	ID           string         `json:"id"`
	Title        string         `json:"title"`
	Basis        string         `json:"basis,omitempty"` // of effective sets: "calculation" or "generated-files"
	Changes      []ImpactChange `json:"changes"`
	More         int            `json:"more,omitempty"` // how many more changes there are
	Findings     []SetFinding   `json:"findings,omitempty"`
	MoreFindings int            `json:"moreFindings,omitempty"` // how many more findings there are
	Error        string         `json:"error,omitempty"`        // why it could no longer be derived
}

// ImpactChange is a value that would change.
type ImpactChange struct {
	ValueChange
	File   string `json:"file,omitempty"`   // that contains the value, if the result consists of files
	Secret bool   `json:"secret,omitempty"` // the values are credentials and are not shown
	Source string `json:"source,omitempty"` // where the value comes from
}

// ChangeSetMerge is the result of a merge or of its dry run.
type ChangeSetMerge struct {
	ChangeSet  *ChangeSet   `json:"changeSet"`
	Position   store.Cursor `json:"position,omitempty"` // of the transaction
	Operations []struct {
		ID     dovetail.ID  `json:"id"`
		Effect store.Effect `json:"effect"`
	} `json:"operations"`
	Total int `json:"total"` // of operations
}

// Resolution resolves one conflict of a rebase.
type Resolution struct {
	ID   dovetail.ID `json:"id"`
	Path string      `json:"path"`
	Take Take        `json:"take"`
}

// Take is the side that a Resolution takes.
type Take string

// The sides of a conflict.
const (
	TakeStaged Take = "staged" // the value of the change set
	TakeNow    Take = "now"    // the value in the store
)

// conflictsError makes conflicts the cause of an error.
type conflictsError []MergeConflict

func (c conflictsError) Error() string { return fmt.Sprintf("%d conflicts", len(c)) }

// ConflictsOf returns the conflicts for which a merge or rebase was refused, nil for other errors.
func ConflictsOf(err error) []MergeConflict {
	var c conflictsError
	errors.As(err, &c)
	return c
}
