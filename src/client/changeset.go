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
	Authors     []string       `json:"authors"` // the author, and all who staged something
	Base        store.Cursor   `json:"base"`    // the position that it was made from
	Created     time.Time      `json:"created"`
	// Operations are what is staged, in the order of ids; lists of change sets leave them out.
	Operations []StagedOperation `json:"operations,omitempty"`
	Total      int               `json:"total"`                // of operations
	Unreadable int               `json:"unreadable,omitempty"` // operations on documents that may not be read
	Reviews    []Review          `json:"reviews,omitempty"`
	Reverts    store.Cursor      `json:"reverts,omitempty"` // the transaction that it undoes
	// Proposal is the branch that it is proposed as, nil for none.
	Proposal *ChangeSetProposal `json:"proposal,omitempty"`
	Merged   *Ending            `json:"merged,omitempty"`
	Closed   *Ending            `json:"closed,omitempty"`
	Version  string             `json:"version"` // another one after every edit and review
}

// ChangeSetState is where a change set stands.
type ChangeSetState string

// The states of a change set.
const (
	ChangeSetOpen   ChangeSetState = "open"
	ChangeSetMerged ChangeSetState = "merged"
	ChangeSetClosed ChangeSetState = "closed"
)

// The reasons of errors about change sets.
const (
	// ReasonProtected is that of a write of documents which change only through approved change sets.
	ReasonProtected = "PROTECTED"
	// ReasonChangeSetConflict is that of a merge or rebase of values that were changed since the base, too; see ConflictsOf.
	ReasonChangeSetConflict = "CHANGE_SET_CONFLICT"
	// ReasonNotOpen is that of what the state of the change set forbids.
	ReasonNotOpen = "CHANGE_SET_NOT_OPEN"
	// ReasonApprovalsMissing is that of a merge for which a protection requires more approvals, or which a reviewer rejects.
	ReasonApprovalsMissing = "APPROVALS_MISSING"
	// ReasonForeignCommits is that of a proposal as a branch that has commits of others.
	ReasonForeignCommits = "FOREIGN_COMMITS"
	// ReasonNotInRepository is that of a proposal with documents that the Git repository does not hold.
	ReasonNotInRepository = "NOT_IN_REPOSITORY"
)

// StagedOperation is what a change set does to a document. ID and Kind are empty where it may not be read.
type StagedOperation struct {
	ID   dovetail.ID `json:"id,omitempty"`
	Kind string      `json:"kind,omitempty"`
	Verb string      `json:"verb"` // create, update or delete
	By   string      `json:"by"`
	Time time.Time   `json:"time"`
}

// Decision is what a review says.
type Decision string

// The decisions of reviews.
const (
	Approve Decision = "approve"
	Reject  Decision = "reject"
	Comment Decision = "comment"
)

// Review is what a user says about a change set.
type Review struct {
	By       string    `json:"by"`
	Groups   []string  `json:"groups,omitempty"` // of the reviewer, as they were
	Decision Decision  `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	Time     time.Time `json:"time"`
	// Current says that it is about the operations as they are: an edit voids approvals.
	Current bool `json:"current"`
}

// Ending says who merged or closed a change set.
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
	Commit  string    `json:"commit,omitempty"` // the only one of the branch; empty while it is not known to be pushed
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Current bool      `json:"current"` // it has the operations as they are
	// Differs is a commit that merged the branch with a different content: Check shows what is missing.
	Differs string `json:"differs,omitempty"`
}

// Remaining is what is staged of a document and not in the store.
type Remaining struct {
	ID      dovetail.ID   `json:"id"`
	Changes []ValueChange `json:"changes"` // from what there is now
}

// ChangeSetDiff is what a change set changes, from its base.
type ChangeSetDiff struct {
	Operations []DocumentChange `json:"operations"`
	Unreadable int              `json:"unreadable,omitempty"` // operations that are left out: their documents may not be read
}

// DocumentChange is what a change set changes of a document.
type DocumentChange struct {
	StagedOperation
	Changes []ValueChange `json:"changes"`
	Files   []string      `json:"files,omitempty"` // the names of those that differ
}

// ValueChange is a value that differs. What does not exist before or after is nil.
type ValueChange struct {
	Op   string          `json:"op"`   // add, remove or replace
	Path string          `json:"path"` // as a JSON Pointer; "" for the whole
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// MergeConflict is a value that was changed by a change set and, since its base, also in the store. With an empty path it is the
// whole document. What does not exist is nil.
type MergeConflict struct {
	ID      dovetail.ID     `json:"id"`
	Path    string          `json:"path"`
	Message string          `json:"message"`
	Base    json.RawMessage `json:"base,omitempty"`
	Staged  json.RawMessage `json:"staged,omitempty"`
	Now     json.RawMessage `json:"now,omitempty"`
}

// ChangeSetCheck says whether a change set could be merged now.
type ChangeSetCheck struct {
	Mergeable   bool
	Conflicts   []MergeConflict
	Errors      []*dovetail.Error // for which the store would refuse the merge
	Protections []Approvals
	RejectedBy  []string // reviewers who reject the operations as they are
	// Remaining is, where the branch of the change set was merged with a different content, what is not in the store.
	Remaining  []Remaining
	Unreadable int // operations that were not looked at: their documents may not be read
}

// Approvals are those that a protection requires of a change set.
type Approvals struct {
	On         []string `json:"on"`           // what it protects
	Approvals  int      `json:"approvals"`    // how many it requires
	By         []string `json:"by,omitempty"` // of whom; empty for any user
	Message    string   `json:"message,omitempty"`
	ApprovedBy []string `json:"approvedBy"`
	Missing    int      `json:"missing"`
}

// ChangeSetImpact is what a merge would change of what services derive from documents.
type ChangeSetImpact struct {
	Items      []ImpactItem `json:"items"`
	Total      int          `json:"total"`                // of items
	Unchanged  []ImpactItem `json:"unchanged"`            // what was looked at, and stays as it is
	Same       int          `json:"unchangedTotal"`       // how many of those there are
	Unreadable int          `json:"unreadable,omitempty"` // what may not be read, changed or not
	Incomplete bool         `json:"incomplete,omitempty"` // there may be more items
}

// ImpactItem is something derived that would change, such as an effective set.
type ImpactItem struct {
	Service      string         `json:"service"`
	ID           string         `json:"id"`
	Title        string         `json:"title"`
	Basis        string         `json:"basis,omitempty"` // of effective sets: "calculation" or "generated-files"
	Changes      []ImpactChange `json:"changes"`
	More         int            `json:"more,omitempty"` // changes beside these
	Findings     []SetFinding   `json:"findings,omitempty"`
	MoreFindings int            `json:"moreFindings,omitempty"` // findings beside these
	Error        string         `json:"error,omitempty"`        // why it could not be derived any more
}

// ImpactChange is a value that would change.
type ImpactChange struct {
	ValueChange
	File   string `json:"file,omitempty"`   // that the path is in, of things that consist of files
	Secret bool   `json:"secret,omitempty"` // the values are credentials, and not told
	Source string `json:"source,omitempty"` // where the value comes from
}

// ChangeSetMerge is what a merge did, or, as a dry run, would do.
type ChangeSetMerge struct {
	ChangeSet  *ChangeSet   `json:"changeSet"`
	Position   store.Cursor `json:"position,omitempty"` // of the transaction
	Operations []struct {
		ID     dovetail.ID  `json:"id"`
		Effect store.Effect `json:"effect"`
	} `json:"operations"`
	Total int `json:"total"` // of operations
}

// Resolution decides a conflict of a rebase.
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

// ConflictsOf returns the conflicts that a merge or rebase was refused for, nil for other errors.
func ConflictsOf(err error) []MergeConflict {
	var c conflictsError
	errors.As(err, &c)
	return c
}
