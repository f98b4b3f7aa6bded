package state

import (
	"fmt"
	"time"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Reasons why a plan is not approved, of errors with CodeConflict or CodeForbidden.
const (
	ReasonPlanChanged = "PlanChanged"
	ReasonNotAwaited  = "ApprovalNotAwaited"
	ReasonOwnPlan     = "OwnPlan"
)

// Approve returns the approval of the plan with a digest by a principal. One that the plan has
// stays. Errors: CodeConflict with ReasonPlanChanged where the plan is another one by now, and with ReasonNotAwaited where nothing waits
// for an approval; CodeForbidden with ReasonOwnPlan where the principals are not known to be different.
func (s *Status) Approve(req *Request, plan, by string, now time.Time) (*api.PlanApproval, error) {
	refuse := func(code dovetail.Code, reason, remedy, format string, args ...any) (*api.PlanApproval, error) {
		return nil, &dovetail.Error{Code: code, Reason: reason, Message: fmt.Sprintf(format, args...), Remedy: remedy}
	}
	const look = "look at `dovetail resolve plan` again, and approve what it shows"
	activated := s.condition(ConditionActivated)
	switch {
	case !req.Spec.Approval:
		return refuse(dovetail.CodeConflict, ReasonNotAwaited, "add approval: required to its spec", "%s does not ask for approvals", req.Name)
	case s.SpecDigest != req.Digest:
		return refuse(dovetail.CodeConflict, ReasonPlanChanged, look, "what %s asks for has changed, and is not planned yet", req.Name)
	case s.PlanDigest == "":
		return refuse(dovetail.CodeConflict, ReasonNotAwaited, "read its conditions", "%s has no plan", req.Name)
	case s.PlanDigest != plan:
		return refuse(dovetail.CodeConflict, ReasonPlanChanged, look, "the plan of %s has changed: it is %s, not %s", req.Name, s.PlanDigest, plan)
	case s.Approval != nil:
		return s.Approval, nil
	case activated == nil || activated.Reason != ReasonApproval:
		return refuse(dovetail.CodeConflict, ReasonNotAwaited, "there is nothing to do", "the plan of %s does not wait for an approval", req.Name)
	case by == "":
		return refuse(dovetail.CodeForbidden, ReasonOwnPlan, "enable authentication on the server", "an approval needs a principal, and the server does not know who asks")
	case s.Author == "":
		return refuse(dovetail.CodeForbidden, ReasonOwnPlan, "write the resolution again", "the author of %s is not known, so an approval cannot be checked to be of another principal", req.Name)
	case s.Author == by:
		return refuse(dovetail.CodeForbidden, ReasonOwnPlan, "ask another principal", "%s wrote %s and cannot approve its plan", by, req.Name)
	}
	return &api.PlanApproval{By: by, Time: now.UTC().Truncate(time.Second), Plan: plan}, nil
}
