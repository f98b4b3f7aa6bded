package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/override/effectiveset"
	"github.com/dovetail-store/dovetail/src/value"
)

// SetForecaster is a server that says what a change would do to effective sets. *client.Client is one.
type SetForecaster interface {
	WholeSetImpact(ctx context.Context, draft api.SetDraft, limit int, progress func(api.SetProgress)) (*api.SetImpact, error)
}

// runOnServer asks a server for the impact of a draft.
func (o *impactOptions) runOnServer(cmd *cobra.Command, s *session) error {
	draft, err := o.readDraft(s)
	if err != nil {
		return err
	}
	server, done, err := openServer[SetForecaster](cmd.Context(), s, &o.target, "says what a draft does to effective sets")
	if err != nil {
		return err
	}
	defer done()
	progress := s.progressOf("looked at", "environment", 0)
	impact, err := server.WholeSetImpact(cmd.Context(), draft, o.limit, func(now api.SetProgress) {
		progress.shown = progress.shown && now.Environments > 1
		progress.total = now.Environments
		progress.steps(now.Examined - progress.count)
	})
	progress.done()
	if err != nil {
		return err
	}
	return showImpact(s, impact)
}

// readDraft reads a file with an override or a ParamSet.
func (o *impactOptions) readDraft(s *session) (api.SetDraft, error) {
	text, err := s.readInput(o.draft)
	if err != nil {
		return api.SetDraft{}, err
	}
	read, err := parseFile(o.draft, text)
	if err != nil {
		return api.SetDraft{}, err
	}
	wrong := &dovetail.Error{Code: dovetail.CodeInvalid, Position: dovetail.Position{File: positionName(o.draft)}, Message: "it is no draft", Remedy: "write one map with the member override or paramSet"}
	if len(read) != 1 || read[0].Kind != value.Map || len(read[0].Members) != 1 {
		return api.SetDraft{}, wrong
	}
	switch m := read[0].Members[0]; m.Name {
	case "override":
		return api.SetDraft{Override: m.Value.JSON()}, nil
	case "paramSet":
		return api.SetDraft{ParamSet: m.Value.JSON()}, nil
	default:
		wrong.Position = m.In(positionName(o.draft))
		return api.SetDraft{}, wrong
	}
}

// asAnswered is an impact as a server answers it.
func asAnswered(impact *effectiveset.Impact) (*api.SetImpact, error) {
	text, err := json.Marshal(impact)
	if err != nil {
		return nil, &dovetail.Error{Code: dovetail.CodeInternal, Message: "the impact cannot be shown", Err: err}
	}
	answered := new(api.SetImpact)
	return answered, json.Unmarshal(text, answered)
}
