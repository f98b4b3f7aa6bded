package httpapi

import (
	"context"
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/decode"
	"github.com/dovetail-store/dovetail/src/store"
)

// Webhooks are the subscriptions of other systems to events.
type Webhooks interface {
	// List returns them and where they stand.
	List(ctx context.Context) ([]dovetail.Webhook, error)
	// DeadLetters returns the events of one that were given up, the oldest first. Errors: CodeNotFound.
	DeadLetters(ctx context.Context, name string) ([]dovetail.DeadLetter, error)
	// Redeliver has dead letters delivered again, all without ids, and returns how many. Errors: CodeNotFound.
	Redeliver(ctx context.Context, name string, ids []string) (int, error)
}

// webhooks returns those of the server to principals that may read everything: an event says what its subscription may read.
func (x *requestContext) webhooks() (Webhooks, error) {
	if _, err := x.parameters(); err != nil {
		return nil, err
	}
	if err := x.api.store.Admit(x.ctx, store.Scope{Right: dovetail.RightRead, Everywhere: true}); err != nil {
		return nil, err
	}
	if x.api.options.Webhooks == nil {
		return noWebhooks{}, nil
	}
	return x.api.options.Webhooks, nil
}

// noWebhooks are those of a server without.
type noWebhooks struct{}

func (noWebhooks) List(context.Context) ([]dovetail.Webhook, error) { return []dovetail.Webhook{}, nil }

func (noWebhooks) DeadLetters(context.Context, string) ([]dovetail.DeadLetter, error) {
	return nil, noWebhook()
}

func (noWebhooks) Redeliver(context.Context, string, []string) (int, error) { return 0, noWebhook() }

func noWebhook() error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "this server has no webhooks", Remedy: "start it with --webhooks FILE"}
}

func getWebhooks(x *requestContext) error {
	hooks, err := x.webhooks()
	if err != nil {
		return err
	}
	items, err := hooks.List(x.ctx)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": items}))
}

func getDeadLetters(x *requestContext) error {
	hooks, err := x.webhooks()
	if err != nil {
		return err
	}
	items, err := hooks.DeadLetters(x.ctx, x.values[0])
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(map[string]any{"items": items}))
}

// postRedeliver takes {"ids": [...]}; without ids it is about all dead letters.
func postRedeliver(x *requestContext) error {
	hooks, err := x.webhooks()
	if err != nil {
		return err
	}
	body, err := x.readOne()
	if err != nil {
		return err
	}
	var d decode.Decoder
	request := d.Root(body, "the request", "")
	request.Map("ids")
	ids := request.Get("ids").Texts("an id")
	if err := d.Err("the request is invalid"); err != nil {
		return err
	}
	queued, err := hooks.Redeliver(x.ctx, x.values[0], ids)
	if err != nil {
		return err
	}
	return x.answer(http.StatusAccepted, encodeJSON(map[string]any{"queued": queued}))
}

// webhookSchema describes a dovetail.Webhook.
func webhookSchema() object {
	text, number, moment := object{"type": "string"}, object{"type": "integer", "minimum": 0}, object{"type": "string", "format": "date-time"}
	texts := object{"type": "array", "items": text}
	return object{"type": "object", "required": list{"name", "url", "events", "delivered", "behind", "deadLetters"}, "properties": object{
		"name": text, "url": text, "events": texts, "kinds": texts, "under": texts, "principal": text, "groups": texts,
		"position": text, "delivered": number, "deadLetters": number,
		"behind": object{"type": "integer", "minimum": 0, "maximum": dovetail.MaxBehind, "description": "how many events wait to be delivered, counted up to the maximum"},
		"lost": object{"type": "object", "description": "the last events that were lost, since the history no longer had them", "properties": object{
			"after":    object{"type": "string", "description": "the position of the last commit before them"},
			"position": object{"type": "string", "description": "that of the last commit among them"}, "time": moment}},
		"failure": object{"type": "object", "description": "the event that its receiver has not accepted yet", "properties": object{
			"event": text, "type": text, "since": moment, "attempts": number, "error": text, "next": moment}}}}
}

// deadLetterSchema describes a dovetail.DeadLetter.
func deadLetterSchema() object {
	text, moment := object{"type": "string"}, object{"type": "string", "format": "date-time"}
	return object{"type": "object", "required": list{"id", "type", "since", "last", "attempts", "error", "event"}, "properties": object{
		"id": text, "type": text, "since": moment, "last": moment, "attempts": object{"type": "integer"}, "error": text,
		"redeliver": object{"type": "boolean", "description": "whether it is about to be redelivered"}, "event": object{"type": "object"}}}
}

// itemsOf is the schema of an answer with all items.
func itemsOf(item object) object {
	return object{"type": "object", "required": list{"items"}, "properties": object{"items": object{"type": "array", "items": item}}}
}
