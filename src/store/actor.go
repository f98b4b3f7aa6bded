package store

import (
	"context"
	"encoding/json"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ActorMember is the member of a status with the principal whose rights a service has when it acts because of the document, of kinds of Config.OnBehalf:
// the one that wrote what the document asks for, with the groups of that request. Neither services nor imports change it.
const ActorMember = "actor"

// ReasonActor is the reason of the error of MayAct.
const ReasonActor = "ActorForbidden"

// actor is a principal as a status has it. What else a token says of its user is not kept.
type actor struct {
	User   string   `json:"user"`
	Groups []string `json:"groups,omitempty"`
}

// ActorOf returns the principal whose rights a service has when it acts because of a document; nil if it is not known.
func ActorOf(doc *dovetail.Document) *dovetail.Principal {
	if doc == nil || len(doc.Status) == 0 {
		return nil
	}
	var status struct {
		Actor *actor `json:"actor"`
	}
	if json.Unmarshal(doc.Status, &status) != nil || status.Actor == nil {
		return nil
	}
	return &dovetail.Principal{Name: status.Actor.User, Groups: status.Actor.Groups}
}

// actorValue returns a principal as a member of a status; nil for nil.
func actorValue(who *dovetail.Principal) *value.Value {
	if who == nil {
		return nil
	}
	v := value.NewMap(value.Member{Name: "user", Value: value.NewString(who.Name)})
	if len(who.Groups) > 0 {
		groups := value.NewList()
		for _, group := range who.Groups {
			groups.Items = append(groups.Items, value.NewString(group))
		}
		v.Set("groups", groups)
	}
	return v
}

// MayAct returns CodeForbidden with ReasonActor if the actor of a document does not have the rights that a service needs to act because of the document.
// They are those of the policy in force, whoever the principal of the context is.
func (s *Store) MayAct(ctx context.Context, id dovetail.ID, who *dovetail.Principal, needs []Need) error {
	may := s.permissions(dovetail.WithPrincipal(ctx, who))
	if may == nil || len(needs) == 0 {
		return nil
	}
	e := &dovetail.Error{Code: dovetail.CodeForbidden, Reason: ReasonActor, Key: id}
	if who == nil {
		e.Message = "the store does not know with whose rights to do what " + string(id) + " asks for"
		e.Remedy = "have somebody with the rights for it apply " + string(id) + " again"
		return e
	}
	model := s.Model()
	for _, need := range needs {
		met, err := need.met(model, may)
		if err != nil {
			return err
		}
		if !met {
			e.Message = nameOf(dovetail.WithPrincipal(ctx, who)) + ", who wrote " + string(id) + ", may not " + string(need.Right) + " " + need.name()
			e.Remedy = "grant the right, or have somebody who has it apply " + string(id) + " again"
			return e
		}
	}
	return nil
}

// setActor gives the next version of a document its actor. It is the principal of a write that changes what the document asks for. If the actor no longer
// has the rights for that, it is also the principal of a write that changes nothing of it, and has them.
func (p *plan) setActor(ctx context.Context, i int, st *step, next *dovetail.Document) {
	needs := p.store.config.OnBehalf[st.kind.Name]
	if needs == nil || st.op.renamed || st.op.restore != nil && p.mayOf(i) == nil {
		return
	}
	who := ActorOf(st.current)
	if i < p.requested {
		var before *value.Value
		if !p.writesUnread(i) {
			before = p.stored(i, st)
		}
		writer, all := dovetail.PrincipalOf(ctx), needs(st.op.ID, nil, st.data)
		if st.current == nil || len(needs(st.op.ID, before, st.data)) > 0 ||
			p.store.MayAct(ctx, st.op.ID, who, all) != nil && p.store.MayAct(ctx, st.op.ID, writer, all) == nil {
			who = writer
		}
	}
	next.Status = p.withMember(i, st, next.Status, ActorMember, actorValue(who))
}
