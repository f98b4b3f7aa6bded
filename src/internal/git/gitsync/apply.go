package gitsync

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/git/gitrepo"
	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
	"github.com/dovetail-store/dovetail/src/store"
)

// ReasonPushConflict is the reason of a write that lost against a push of another writer.
const ReasonPushConflict = "PUSH_CONFLICT"

// Commit says how a change is signed. Empty fields mean the principal of the context, and what the change
// does.
type Commit struct {
	Author, Email, Message string
	// Of is the document that the change is about and Base the version of it that the change was computed
	// from: when that is not its version any more, the change is refused with CodeStale. Base is "" for a
	// change that holds for any version.
	Of   dovetail.ID
	Base string
	// Answer, if not nil, is store.Options.Answer of a change that a commit makes.
	Answer func(result *store.Result, commit string) ([]byte, error)
}

// answer returns store.Options.Answer of the transaction that follows a commit.
func (c *Commit) answer(options store.Options, commit string) func(*store.Result) ([]byte, error) {
	if c.Answer == nil || options.Answer == nil {
		return options.Answer
	}
	return func(result *store.Result) ([]byte, error) { return c.Answer(result, commit) }
}

// Applied is the outcome of operations.
type Applied struct {
	Result *store.Result
	Commit string // the head that the store follows now; "" when the repository has no part in it, or in a dry run
}

// settleTimeout bounds the work that must be done once a commit is pushed, even if its client has gone.
const settleTimeout = time.Minute

// Apply does operations, as Store.Apply: where the repository holds the documents, as one commit that is
// pushed first. Errors are those of the store, and
//
//	CodeUnprocessable, ReasonNotInFile     files cannot hold what is asked for
//	CodeConflict, ReasonPushConflict       another writer pushed meanwhile, and changed a file that the operations change, or kept pushing;
//	                                       the store shows what is there now
//	CodeUnavailable, CodeForbidden         the repository cannot be reached, or refused the commit: nothing was changed
//	CodeUnknown                            the repository may have the commit, or has it and the store does not
//	                                       follow yet: it will
func (a *Syncer) Apply(ctx context.Context, operations []store.Operation, options store.Options, by Commit) (*Applied, error) {
	concerned, err := a.concerned(ctx, operations, options)
	if err != nil {
		return nil, err
	}
	if !concerned {
		result, err := a.store.Apply(ctx, operations, options)
		return &Applied{Result: result}, err
	}
	return a.enqueue(&pending{ctx: ctx, operations: operations, options: options, by: by.complete(ctx, operations), done: make(chan struct{})})
}

// trialOf returns the options of a dry run of what is to be done with others. Its outcomes have what the principal may not read.
func trialOf(options store.Options) store.Options {
	return store.Options{DryRun: true, Unfiltered: true, Managed: options.Managed, ChangeSet: options.ChangeSet, Approved: options.Approved}
}

// approved are the documents that may change although they are protected: those of an approved change set, and what follows from their files.
func (p *plan) approved() []dovetail.ID {
	if len(p.options.Approved) == 0 {
		return nil
	}
	all := slices.Clone(p.options.Approved)
	for _, op := range p.apply[min(len(p.asked), len(p.apply)):] {
		all = append(all, op.ID)
	}
	return all
}

// originOf is the origin of a transaction that does what a commit says.
func originOf(commit string) string { return "git:" + commit }

// keptMessage is what a transaction keeps of the message of its commit: all of it but a very long end, which the commit has.
func keptMessage(message string) string {
	message = strings.TrimSpace(strings.ToValidUTF8(message, "\uFFFD"))
	const end = "..."
	if len(message) > store.MaxMessage {
		message = strings.ToValidUTF8(message[:store.MaxMessage-len(end)], "") + end
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}, message)
}

var (
	errDryRun  = errors.New("a dry run ends before its commit")
	errPeer    = errors.New("another process of Dovetail came first")
	errForeign = errors.New("another writer of the repository came first")
	errLater   = errors.New("the change waits for those that are pushed now")
)

// concerned reports whether operations change documents that the repository holds, or take some along.
func (a *Syncer) concerned(ctx context.Context, operations []store.Operation, options store.Options) (bool, error) {
	if err := refuseRecords(operations); err != nil {
		return false, err
	}
	deletes := false
	for _, op := range operations {
		if op.Verb != store.PutStatus && isHeld(kindOf(op.ID)) {
			return true, nil
		}
		deletes = deletes || op.Verb == store.Delete
	}
	if !deletes {
		return false, nil
	}
	would, err := a.store.Apply(ctx, operations, trialOf(options))
	if err != nil {
		return false, nil //nolint:nilerr // the store says it again, or knows the key of an earlier request
	}
	return slices.ContainsFunc(would.Cascaded, func(o store.Outcome) bool { return isHeld(o.Document.Kind) }), nil
}

// settle makes the change of a pushed commit in the store, which follows up to the commit before it. Also when the client has
// gone, since the repository has it.
func (a *Syncer) settle(ctx context.Context, p *plan, before, commit string, options store.Options, by Commit) (*store.Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	system := asSystem(ctx)
	for {
		r, err := a.record(system)
		if err != nil {
			return nil, a.behind(commit, err)
		}
		if r.doc == nil || r.Head != before {
			result, err := a.brought(system, p, commit)
			return a.store.Filter(ctx, result), err
		}
		next := r.next(p.region, commit, p.read)
		recording, err := r.write(next, a.inputs)
		if err != nil {
			return nil, err
		}
		result, err := a.store.Apply(ctx, append(slices.Clone(p.apply), recording), store.Options{Key: options.Key, Request: options.Request, Answer: by.answer(options, commit), Fence: options.Fence, Requested: p.asked,
			Managed: options.Managed, ChangeSet: options.ChangeSet, Approved: p.approved(),
			Message: keptMessage(by.Message), Origin: originOf(commit)})
		switch {
		case err == nil:
			a.options.Report(Report{Head: commit, Applied: len(p.apply), Defects: next.Defects.Total})
			result.Outcomes = result.Outcomes[:len(p.asked)]
			return result, nil
		case isOvertaken(err):
			continue // perhaps only what is known about the repository changed
		case isRefusal(err):
			a.undo(system, p, by)
			return nil, a.concealed(ctx, err)
		}
		return nil, a.behind(commit, err)
	}
}

// isRefusal reports whether an error is the store's refusal of a transaction, which trying again does not end.
func isRefusal(err error) bool {
	switch dovetail.CodeOf(err) {
	case dovetail.CodeUnavailable, dovetail.CodeUnknown, dovetail.CodeTimeout, dovetail.CodeCanceled, dovetail.CodeInternal, dovetail.CodeCorrupt:
		return false
	}
	return true
}

func (a *Syncer) behind(commit string, err error) error {
	a.options.Log.Warn("the store is behind the instance repository", "commit", commit, "error", err)
	return &dovetail.Error{Code: dovetail.CodeUnknown, Message: "the change is in the instance repository as commit " + commit + ", but not in the store yet, which follows as soon as it can",
		Remedy: "read the current version", Err: err}
}

// brought is the result when another process brought the commit into the store first.
func (a *Syncer) brought(ctx context.Context, p *plan, commit string) (*store.Result, error) {
	if _, err := a.follow(ctx, nil); err != nil {
		return nil, a.behind(commit, err)
	}
	if is, err := a.repository.Contains(commit); err != nil || !is {
		return nil, cmp.Or(err, error(overtaken()))
	}
	result := &store.Result{Outcomes: slices.Clone(p.dry.Outcomes), Cascaded: p.dry.Cascaded}
	for i := range result.Outcomes {
		o := &result.Outcomes[i]
		doc, err := a.store.Get(ctx, o.Document.ID)
		switch {
		case err == nil:
			o.Document = doc
		case dovetail.CodeOf(err) != dovetail.CodeNotFound:
			return nil, a.behind(commit, err)
		}
	}
	return result, nil
}

// undo reverts a pushed commit that the store refused: with a commit of its own, since others may have seen the first one.
// Files that were changed since stay as they are.
func (a *Syncer) undo(ctx context.Context, p *plan, by Commit) {
	revert := gitrepo.Change{Name: by.Author, Email: by.Email, Message: "Revert \"" + firstLine(by.Message) + "\"", Edit: func(draft *gitrepo.Draft) error {
		for path, data := range p.edits {
			now, err := draft.Read(path)
			if err != nil && dovetail.CodeOf(err) != dovetail.CodeNotFound {
				return err
			}
			if !bytes.Equal(now, data) {
				continue // another writer changed it since
			}
			if old := p.files[path]; old != nil {
				err = draft.Write(path, old)
			} else {
				err = draft.Remove(path)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}}
	err := store.Transact(ctx, func() error {
		_, err := a.repository.Change(ctx, revert)
		if dovetail.CodeOf(err) == dovetail.CodeConflict { // another writer pushed meanwhile
			return store.Retry(err)
		}
		return err
	})
	if err == nil {
		_, err = a.follow(ctx, nil)
	}
	if err != nil {
		a.options.Log.Error("a commit that the store refused was not reverted", "message", by.Message, "error", err)
	}
}

// current checks that the version of the document is the one that the change was computed from.
func (c Commit) current(draft *gitrepo.Draft) error {
	if c.Base == "" {
		return nil
	}
	for _, path := range instancerepo.Paths(c.Of) {
		version, err := draft.Version(path)
		switch {
		case dovetail.CodeOf(err) == dovetail.CodeNotFound:
			continue
		case err != nil:
			return err
		case version != c.Base:
			return &dovetail.Error{Code: dovetail.CodeStale, Key: c.Of, Message: string(c.Of) + " was changed by another user: its file is at version " + version,
				Remedy: "read it again and repeat your change on the current version"}
		}
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// complete fills in who and what where it is not said, and leaves out what a commit cannot have.
func (c Commit) complete(ctx context.Context, operations []store.Operation) Commit {
	who := dovetail.PrincipalOf(ctx)
	if c.Author == "" && who != nil {
		c.Author = who.Name
	}
	c.Author = cmp.Or(plain(c.Author), "Dovetail")
	c.Email = plain(c.Email)
	if c.Email == "" && strings.Contains(c.Author, "@") {
		c.Email = c.Author
	}
	c.Email = cmp.Or(c.Email, "dovetail@localhost")
	c.Message = strings.TrimSpace(strings.ReplaceAll(c.Message, "\x00", ""))
	if c.Message == "" {
		c.Message = describe(operations)
	}
	c.Message += "\n"
	return c
}

// plain leaves out what names in commits cannot have.
func plain(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' {
			return -1
		}
		return r
	}, name))
}

// describe says what operations do, one in a line.
func describe(operations []store.Operation) string {
	verb := func(op store.Operation) string {
		if op.Verb == store.Create || op.Verb == store.Delete {
			return string(op.Verb)
		}
		return "update"
	}
	if len(operations) == 1 {
		return fmt.Sprintf("%s %s", verb(operations[0]), operations[0].ID)
	}
	const shown = 50
	var b strings.Builder
	fmt.Fprintf(&b, "change %d documents\n", len(operations))
	for _, op := range operations[:min(len(operations), shown)] {
		fmt.Fprintf(&b, "\n%s %s", verb(op), op.ID)
	}
	if len(operations) > shown {
		b.WriteString("\n...")
	}
	return b.String()
}
