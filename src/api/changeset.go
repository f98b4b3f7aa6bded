package api

import (
	"encoding/json"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// ChangeSets is a page of the list of change sets, in the order of their names, without their operations.
type ChangeSets struct {
	Items    []ChangeSet `json:"items"`
	Continue string      `json:"continue,omitempty"`
}

// ChangeSet is a set of proposed changes of documents, over a base position, with reviews.
type ChangeSet struct {
	Name        string         `json:"name" doc:"the unique name; the last element of the id changeSet/NAME"`
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	State       ChangeSetState `json:"state"`
	Author      string         `json:"author"`
	Authors     []string       `json:"authors" doc:"the author and all users who staged operations"`
	// Base is the position at which it was created, or to which it was rebased.
	Base    dovetail.Cursor `json:"base" doc:"the position of the store that it is based on"`
	Created time.Time       `json:"created"`
	// Operations are the staged operations, in the order of ids. Lists of change sets omit them.
	Operations []StagedOperation `json:"operations,omitzero"`
	Total      int               `json:"total" doc:"the number of operations"`
	Unreadable int               `json:"unreadable" doc:"the number of operations on documents that the caller may not read"`
	Reviews    []Review          `json:"reviews"`
	Reverts    dovetail.Cursor   `json:"reverts,omitempty" doc:"the transaction that it reverts"`
	// Proposal is the Git branch on which it is proposed, nil if there is none.
	Proposal *ChangeSetProposal `json:"proposal,omitempty"`
	Merged   *Ending            `json:"merged,omitempty"` // nil unless it is merged
	Closed   *Ending            `json:"closed,omitempty"` // nil unless it is closed
	Version  string             `json:"version" doc:"changes with every edit and review"`
}

// ChangeSetState is the state of a change set.
type ChangeSetState string

// The states of a change set.
const (
	ChangeSetOpen   ChangeSetState = "open"
	ChangeSetMerged ChangeSetState = "merged"
	ChangeSetClosed ChangeSetState = "closed"
)

// Values returns all states.
func (ChangeSetState) Values() []string {
	return texts(ChangeSetOpen, ChangeSetMerged, ChangeSetClosed)
}

// The reasons of errors about change sets.
const (
	// ReasonProtected: the documents are protected and can only be changed by an approved change set.
	ReasonProtected = "PROTECTED"
	// ReasonChangeSetConflict: the merge or rebase conflicts with changes since the base.
	ReasonChangeSetConflict = "CHANGE_SET_CONFLICT"
	// ReasonNotOpen: the state of the change set does not allow this.
	ReasonNotOpen = "CHANGE_SET_NOT_OPEN"
	// ReasonApprovalsMissing: a protection requires more approvals for the merge, or a reviewer has rejected it.
	ReasonApprovalsMissing = "APPROVALS_MISSING"
	// ReasonUnreadable: the change set stages documents that the principal may not read.
	ReasonUnreadable = "CHANGE_SET_UNREADABLE"
	// ReasonNoRepository: no Git repository is attached in which it could be proposed.
	ReasonNoRepository = "NO_REPOSITORY"
	// ReasonNothing: the branch that the store follows has all that it would propose.
	ReasonNothing = "NOTHING_TO_PROPOSE"
	// ReasonForeignCommits: the branch of the proposal has commits of others.
	ReasonForeignCommits = "FOREIGN_COMMITS"
	// ReasonNotInRepository: the Git repository cannot contain some of the proposed documents.
	ReasonNotInRepository = "NOT_IN_REPOSITORY"
)

// StagedOperation is the operation of a change set on one document. ID and Kind are empty if the principal may not read it.
type StagedOperation struct {
	ID   dovetail.ID `json:"id,omitempty"`
	Kind string      `json:"kind,omitempty"`
	Verb Verb        `json:"verb"`
	By   string      `json:"by"`
	Time time.Time   `json:"time"`
}

// Verb is what a change set does to a document.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Update Verb = "update"
	Delete Verb = "delete"
)

// Values returns all verbs.
func (Verb) Values() []string { return texts(Create, Update, Delete) }

// Decision is the decision of a review.
type Decision string

// The decisions of reviews.
const (
	Approve Decision = "approve"
	Reject  Decision = "reject"
	Comment Decision = "comment"
)

// Values returns all decisions.
func (Decision) Values() []string { return texts(Approve, Reject, Comment) }

// Review is the review of a change set by one user.
type Review struct {
	By       string    `json:"by"`
	Groups   []string  `json:"groups,omitempty" doc:"the groups of the reviewer at the time"`
	Decision Decision  `json:"decision"`
	Comment  string    `json:"comment,omitempty"`
	Time     time.Time `json:"time"`
	Digest   string    `json:"digest" doc:"identifies the operations that the review refers to"`
	// Current is false if the operations have changed since the review: an edit invalidates approvals.
	Current bool `json:"current" doc:"whether the review refers to the current operations"`
}

// Ending names who merged or closed a change set, and when.
type Ending struct {
	Position dovetail.Cursor `json:"position,omitempty" doc:"the position of the transaction of a merge"`
	Commit   string          `json:"commit,omitempty" doc:"the commit that merged the branch"`
	By       string          `json:"by"`
	Time     time.Time       `json:"time"`
}

// ChangeSetProposal is a branch of an attached Git repository on which a change set is proposed.
type ChangeSetProposal struct {
	Branch     string `json:"branch"`
	Repository string `json:"repository,omitempty" doc:"the instance repository of the branch, if there are several"`
	Into       string `json:"into,omitempty" doc:"the branch that the store follows"`
	// Commit is the only commit of the branch. It is empty until the push is confirmed.
	Commit  string    `json:"commit,omitempty" doc:"the commit of the branch; omitted as long as it is not known to be pushed"`
	By      string    `json:"by"`
	Time    time.Time `json:"time"`
	Current bool      `json:"current" doc:"whether the branch has the current operations"`
	Differs string    `json:"differs,omitempty" doc:"a commit that merged the branch with a different content"`
}

// ChangeSetDiff lists the changes of a change set relative to its base.
type ChangeSetDiff struct {
	Operations []DocumentChange `json:"operations"`
	Unreadable int              `json:"unreadable" doc:"the number of operations omitted because the caller may not read their documents"`
}

// DocumentChange lists the changes of a change set to one document.
type DocumentChange struct {
	StagedOperation
	Changes []Change `json:"changes"`
	Files   []string `json:"files" doc:"the names of changed files"`
}

// Remaining lists the staged changes of a document that are not in the store.
type Remaining struct {
	ID      dovetail.ID `json:"id"`
	Changes []Change    `json:"changes" doc:"relative to the current document"`
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

// ChangeSetCheck reports whether a change set could be merged now, and lists what prevents it.
type ChangeSetCheck struct {
	Mergeable   bool            `json:"mergeable"`
	Conflicts   []MergeConflict `json:"conflicts"`
	Errors      []ProblemPart   `json:"errors" doc:"the errors with which the store would refuse the merge"`
	Protections []Approvals     `json:"protections"`
	RejectedBy  []string        `json:"rejectedBy" doc:"reviewers who have rejected the current operations"`
	Unreadable  int             `json:"unreadable" doc:"the number of operations not checked because the caller may not read their documents"`
	Remaining   []Remaining     `json:"remaining,omitempty" doc:"the changes that are missing in the store, if the branch was merged with a different content"`
}

// Approvals are the approvals that a protection requires for a change set. See dovetail.Protection.
type Approvals struct {
	On         []string `json:"on" doc:"the protected ids"`
	Approvals  int      `json:"approvals" doc:"how many approvals it requires"`
	By         []string `json:"by,omitempty" doc:"whose approvals count; empty for any user"`
	Message    string   `json:"message,omitempty"`
	ApprovedBy []string `json:"approvedBy"`
	Missing    int      `json:"missing"`
}

// ChangeSetImpact lists what a merge would change in the results that services derive from documents.
type ChangeSetImpact struct {
	Items      []ImpactItem `json:"items"`
	Total      int          `json:"total" doc:"the number of items"`
	Unchanged  []ImpactItem `json:"unchanged" doc:"results that were checked and do not change"`
	Same       int          `json:"unchangedTotal" doc:"the number of results that do not change"`
	Unreadable int          `json:"unreadable" doc:"the number of results that the caller may not read, changed or not"`
	Incomplete bool         `json:"incomplete,omitempty" doc:"whether there may be more items"`
}

// ChangeSetMerge is the result of a merge or of its dry run.
type ChangeSetMerge struct {
	ChangeSet  ChangeSet         `json:"changeSet"`
	Position   dovetail.Cursor   `json:"position,omitempty" doc:"the position of the transaction"`
	Operations []MergedOperation `json:"operations"`
	Total      int               `json:"total" doc:"the number of operations"`
}

// MergedOperation is the effect of a merge on a document.
type MergedOperation struct {
	ID     dovetail.ID     `json:"id"`
	Effect dovetail.Effect `json:"effect"`
}

// NewChangeSet has the fields of a change set to create. The server chooses a name for a change set that reverts another one if it is
// empty.
type NewChangeSet struct {
	Name        string `json:"name" doc:"the unique name; the last element of the id changeSet/NAME"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// ChangeSetEdit has new values of a change set. Nil fields are not changed.
type ChangeSetEdit struct {
	Title       *string `json:"title,omitempty"`
	Description *string `json:"description,omitempty"`
}

// NewReview is a review to add to a change set.
type NewReview struct {
	Decision Decision `json:"decision"`
	Comment  string   `json:"comment,omitempty"`
}

// Propose names the branch on which a change set is proposed.
type Propose struct {
	Branch string `json:"branch,omitempty" doc:"the name of the branch; default the current one, or change-set/NAME"`
}

// Merge is the body of a request for a merge.
type Merge struct {
	Message string `json:"message,omitempty" doc:"the message of the transaction, instead of the header Dovetail-Message"`
}

// Rebase resolves conflicts of a rebase.
type Rebase struct {
	Resolve []Resolution `json:"resolve,omitempty"`
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

// Values returns both sides.
func (Take) Values() []string { return texts(TakeStaged, TakeNow) }
