package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// A claim is an internal document beside that of the work: `_work/<uid>`. It is taken over, and given back, in the transaction that changes
// the status, and renewed alone. Its uid is the token, a fence: who lost a claim can write nothing by it.
const (
	workPrefix = dovetail.ID("_work/")
	workKind   = "_work"
)

// The least and the longest duration of a claim, and after how long without being renewed one is forgotten.
const (
	MinClaim    = time.Second
	MaxClaim    = time.Hour
	forgetClaim = 24 * time.Hour
)

// workLease is the data of a claim.
type workLease struct {
	ID     dovetail.ID `json:"id"` // of the document
	Number int         `json:"number"`
	Worker string      `json:"worker"`
	Until  time.Time   `json:"until"`
}

func workID(uid string) dovetail.ID { return workPrefix + dovetail.ID(uid) }

func readWorkLease(doc *dovetail.Document) (l workLease, err error) {
	if err := json.Unmarshal(doc.Data, &l); err != nil {
		return l, &dovetail.Error{Code: dovetail.CodeCorrupt, Key: doc.ID, Message: "the claim of a worker cannot be read", Err: err}
	}
	return l, nil
}

// workLeases returns the claims there are, by the uids of the documents, and deletes those that are forgotten.
func (s *Store) workLeases(ctx context.Context) (map[string]workLease, error) {
	now, err := s.backend.Time(ctx)
	if err != nil {
		return nil, err
	}
	leases := make(map[string]workLease)
	var old []Txn
	for doc, err := range s.backend.List(ctx, Query{Under: dovetail.ID(strings.TrimSuffix(string(workPrefix), "/"))}) {
		if err != nil {
			return nil, err
		}
		l, err := readWorkLease(doc)
		if err != nil {
			return nil, err
		}
		if now.Sub(l.Until) > forgetClaim {
			old = append(old, Txn{Require: []Condition{{Test: AtVersion, ID: doc.ID, Version: doc.ETag()}}, Deletes: []dovetail.ID{doc.ID}})
			continue
		}
		leases[strings.TrimPrefix(string(doc.ID), string(workPrefix))] = l
	}
	for _, txn := range old {
		if err := s.backend.Commit(ctx, txn); err != nil && !IsConflict(err) {
			return nil, err
		}
	}
	return leases, nil
}

// ClaimWork lets a worker carry out the action of a document that comes first, for some time, which RenewWork extends. What another worker
// has claimed it gets when that time is over; the same worker, by its name, at once. Its principal needs the right to act on the document.
// Of the options, Key and Message count: repeated with the same key, it returns the claim that was made.
//
// Errors: CodeNotFound if there is nothing to carry out, CodeConflict where another worker has it, with Worker and Until in the message; CodeInvalid for a
// duration that is not between MinClaim and MaxClaim, or a worker without a name.
func (s *Store) ClaimWork(ctx context.Context, id dovetail.ID, worker string, during time.Duration, options Options) (*Work, error) {
	if err := checkClaim(worker, during); err != nil {
		return nil, err
	}
	options.Request = fmt.Sprintf("claim %q %q %s", id, worker, during)
	if done, err := s.answeredWork(ctx, options); done != nil || err != nil {
		return done, err
	}
	return s.claimWork(ctx, id, worker, during, options)
}

func (s *Store) claimWork(ctx context.Context, id dovetail.ID, worker string, during time.Duration, options Options) (*Work, error) {
	var claimed *Work
	err := Transact(ctx, func() error {
		doc, w, held, err := s.workOf(ctx, id)
		if err != nil {
			return err
		}
		if w == nil {
			return &dovetail.Error{Code: dovetail.CodeNotFound, Key: id, Message: "no action on " + string(id) + " is waiting to be carried out"}
		}
		now, err := s.backend.Time(ctx)
		if err != nil {
			return err
		}
		fence := Condition{Test: Absent, ID: workID(doc.UID)}
		if held != nil {
			l, err := readWorkLease(held)
			if err != nil {
				return err
			}
			if l.Number == w.Number && l.Worker != worker && l.Until.After(now) {
				return &dovetail.Error{Code: dovetail.CodeConflict, Key: id, Message: fmt.Sprintf("the action %s on %s is carried out by %s until %s", w.Action, id, l.Worker, l.Until.Format(time.RFC3339)),
					Remedy: "wait until then"}
			}
			fence = Condition{Test: AtVersion, ID: held.ID, Version: held.ETag()}
		}
		lease, err := s.workLease(doc, w.Number, worker, now.Add(during))
		if err != nil {
			return err
		}
		op := Operation{Verb: PutStatus, ID: id, IfMatch: []dovetail.ETag{doc.ETag()}, work: &workChange{number: w.Number, worker: worker, lease: lease}}
		claim := func(result *Result) *Work {
			claimed := firstWork(result.Outcomes[0].Document)
			claimed.Worker, claimed.Until, claimed.Token, claimed.Document = worker, now.Add(during), lease.UID, result.Outcomes[0].Document
			return claimed
		}
		keyed := Options{Fence: &fence, Key: options.Key, Request: options.Request, Message: options.Message}
		keyed.Answer = func(result *Result) ([]byte, error) { return json.Marshal(claim(result)) }
		result, err := s.Apply(ctx, []Operation{op}, keyed)
		if lostRace(err) {
			return Retry(err)
		}
		if err == nil {
			claimed = claim(result)
			return nil
		}
		claimed, err = workAnswered(err)
		return err
	})
	return claimed, err
}

// answeredWork returns what the request with the key of the options was answered, nil if there was none.
func (s *Store) answeredWork(ctx context.Context, options Options) (*Work, error) {
	if options.Key == "" {
		return nil, nil
	}
	options.Answer = func(*Result) ([]byte, error) { return nil, nil } // it has one
	_, err := s.Replay(ctx, nil, options)
	return workAnswered(err)
}

// workAnswered returns the work of an *AnsweredError, and any other error.
func workAnswered(err error) (*Work, error) {
	var before *AnsweredError
	if !errors.As(err, &before) {
		return nil, err
	}
	claimed := new(Work)
	if err := json.Unmarshal(before.Result.Answer, claimed); err != nil {
		return nil, dovetail.AsError(err)
	}
	return claimed, nil
}

// ClaimAnyWork is ClaimWork of the oldest unclaimed work of some kinds; nil if there is none.
func (s *Store) ClaimAnyWork(ctx context.Context, kinds []string, worker string, during time.Duration, options Options) (*Work, error) {
	if err := checkClaim(worker, during); err != nil {
		return nil, err
	}
	options.Request = fmt.Sprintf("claim any %q %q %s", kinds, worker, during)
	if done, err := s.answeredWork(ctx, options); done != nil || err != nil {
		return done, err
	}
	open, err := s.OpenWork(ctx, kinds...)
	if err != nil {
		return nil, err
	}
	now, err := s.backend.Time(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range open {
		if w.Worker != "" && w.Worker != worker && w.Until.After(now) {
			continue
		}
		claimed, err := s.claimWork(ctx, w.ID, worker, during, options)
		switch code := dovetail.CodeOf(err); {
		case err == nil:
			return claimed, nil
		case slices.Contains([]dovetail.Code{dovetail.CodeNotFound, dovetail.CodeConflict, dovetail.CodeForbidden}, code):
			continue // another worker was faster, or it is for others
		default:
			return nil, err
		}
	}
	return nil, nil
}

// RenewWork extends a claim from now on, and returns the work as it is now, with what was requested since. Of the options, Key counts:
// repeated with the same key, it extends nothing further.
//
// Errors: CodeConflict with ReasonFenced where the claim was lost, CodeNotFound where the document is deleted.
func (s *Store) RenewWork(ctx context.Context, id dovetail.ID, token string, during time.Duration, options Options) (*Work, error) {
	if err := checkClaim(token, during); err != nil {
		return nil, err
	}
	if err := s.Admit(ctx, Scope{Right: dovetail.RightAct, ID: id}); err != nil {
		return nil, err
	}
	options.Request = fmt.Sprintf("renew %q %q %s", id, token, during)
	if done, err := s.answeredWork(ctx, options); done != nil || err != nil {
		return done, err
	}
	var renewed *Work
	err := Transact(ctx, func() error {
		claimed := id
		id, err := s.workAt(ctx, claimed, token)
		if err != nil {
			return err
		}
		if id != claimed {
			if err := s.Admit(ctx, Scope{Right: dovetail.RightAct, ID: id}); err != nil {
				return err
			}
		}
		_, w, held, err := s.workOf(ctx, id)
		if err != nil {
			return err
		}
		l, err := leaseOf(w, held, id, token)
		if err != nil {
			return err
		}
		renewed, err = s.renew(ctx, w, held, l, during, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	return renewed, nil
}

// renew writes a claim that lasts from now on, and returns its work.
func (s *Store) renew(ctx context.Context, w *Work, held *dovetail.Document, l workLease, during time.Duration, options Options) (*Work, error) {
	now, err := s.backend.Time(ctx)
	if err != nil {
		return nil, err
	}
	l.Until = now.Add(during)
	data, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	next := *held
	next.Data, next.Revision, next.Updated = data, held.Revision+1, now
	w.Worker, w.Until, w.Token = l.Worker, l.Until, held.UID
	txn := Txn{Require: []Condition{{Test: AtVersion, ID: held.ID, Version: held.ETag()}}, Puts: []*dovetail.Document{&next}}
	if options.Key != "" {
		options.Answer = func(*Result) ([]byte, error) { return json.Marshal(w) }
		owner := ownerOf(s.permissions(ctx), nameOf(ctx))
		if err := s.recordIdempotency(&txn, &Result{}, options, owner, s.digest(options, nil), s.now(), s.Model()); err != nil {
			return nil, err
		}
	}
	err = s.backend.Commit(ctx, txn)
	if IsConflict(err) || dovetail.CodeOf(err) == dovetail.CodeExists {
		done, failed := s.answeredWork(ctx, options)
		if done == nil && failed == nil {
			return nil, Retry(err)
		}
		return done, failed
	}
	return w, err
}

// FinishWork ends a claim with the result of the action, which the state of the document follows, and returns the document. Finishing twice is refused as
// a claim that was lost, unless both have the same Options.Key. Of the options, Key, Request and Message count.
//
// Errors: CodeConflict with ReasonFenced where the claim was lost, CodeNotFound where the document is deleted; CodeInvalid for members of
// the status that Dovetail writes itself.
func (s *Store) FinishWork(ctx context.Context, id dovetail.ID, token string, result WorkResult, options Options) (*dovetail.Document, error) {
	if result.Status != nil {
		for _, m := range result.Status.Members {
			if slices.Contains(workMembers, m.Name) {
				return nil, &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{Path: "/status/" + m.Name}, Message: "the member " + m.Name + " of the status is written by Dovetail itself",
					Remedy: "leave it out"}
			}
		}
	}
	if options.Key != "" {
		if done, err := s.Replay(ctx, nil, options); done != nil || err != nil {
			return finishedBy(done), err
		}
	}
	var finished *dovetail.Document
	err := Transact(ctx, func() error {
		id, err := s.workAt(ctx, id, token)
		if err != nil {
			return err
		}
		_, w, held, err := s.workOf(ctx, id)
		if err != nil {
			return err
		}
		if _, err := leaseOf(w, held, id, token); err != nil {
			return err
		}
		op := Operation{Verb: PutStatus, ID: id, work: &workChange{number: w.Number, result: &result, delete: held.ID}}
		done, err := s.Apply(ctx, []Operation{op}, Options{Key: options.Key, Request: options.Request, Message: options.Message,
			Fence: &Condition{Test: AtVersion, ID: held.ID, Version: held.ETag()}})
		if lostRace(err) {
			return Retry(err)
		}
		finished = finishedBy(done)
		return err
	})
	return finished, err
}

// finishedBy returns the document whose work a transaction ended, nil if there is no transaction.
func finishedBy(done *Result) *dovetail.Document {
	if done == nil {
		return nil
	}
	return done.Outcomes[0].Document
}

// checkClaim checks the name of a worker, or the token that stands for it, and the duration of a claim.
func checkClaim(name string, during time.Duration) error {
	switch {
	case name == "" || len(name) > 200:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "a claim needs the name of its worker, of up to 200 bytes, or the token", Remedy: "name the worker"}
	case during < MinClaim || during > MaxClaim:
		return &dovetail.Error{Code: dovetail.CodeInvalid, Message: fmt.Sprintf("a claim cannot last %s", during), Remedy: fmt.Sprintf("give one from %s to %s, and renew it", MinClaim, MaxClaim)}
	}
	return nil
}

// workOf reads a document, its first work, and its claim; nil if there is none.
func (s *Store) workOf(ctx context.Context, id dovetail.ID) (doc *dovetail.Document, w *Work, held *dovetail.Document, err error) {
	if doc, err = s.Get(ctx, id); err != nil {
		return nil, nil, nil, err
	}
	stored, err := s.fetch(ctx, []dovetail.ID{workID(doc.UID)})
	if err != nil {
		return nil, nil, nil, err
	}
	return doc, firstWork(doc), stored[0], nil
}

// leaseOf returns the claim that a token stands for.
func leaseOf(w *Work, held *dovetail.Document, id dovetail.ID, token string) (l workLease, err error) {
	if held != nil {
		if l, err = readWorkLease(held); err != nil {
			return l, err
		}
	}
	if held == nil || held.UID != token || w == nil || w.Number != l.Number {
		return l, &dovetail.Error{Code: dovetail.CodeConflict, Reason: ReasonFenced, Key: id, Message: "the claim on " + string(id) + " was lost: another worker has it, or it is finished",
			Remedy: "leave it to that one, or claim again"}
	}
	return l, nil
}

func (s *Store) workLease(doc *dovetail.Document, number int, worker string, until time.Time) (*dovetail.Document, error) {
	data, err := json.Marshal(workLease{ID: doc.ID, Number: number, Worker: worker, Until: until})
	if err != nil {
		return nil, err
	}
	return s.internal(workID(doc.UID), workKind, data, s.now()), nil
}

// lostRace reports whether a write lost to another one, so that it is to be computed again.
func lostRace(err error) bool {
	return err != nil && (IsConflict(err) || dovetail.AsError(err).Reason == ReasonFenced)
}
