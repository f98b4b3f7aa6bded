package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/dovetail-store/dovetail/src/api"
	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Webhooks lists the webhooks of the server with the state of their delivery.
func (c *Client) Webhooks(ctx context.Context) ([]dovetail.Webhook, error) {
	var answer struct {
		Items []dovetail.Webhook `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Webhooks}, &answer)
	return answer.Items, err
}

// DeadLetters lists the events of a webhook whose delivery was given up, oldest first.
func (c *Client) DeadLetters(ctx context.Context, webhook string) ([]dovetail.DeadLetter, error) {
	var answer struct {
		Items []dovetail.DeadLetter `json:"items"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: api.Fill(api.DeadLetters, webhook)}, &answer)
	return answer.Items, err
}

// Redeliver requests the redelivery of dead letters of a webhook, all of them if no ids are given, and returns how many there are. It
// does not wait for the delivery.
func (c *Client) Redeliver(ctx context.Context, webhook string, ids ...string) (int, error) {
	var answer struct {
		Queued int `json:"queued"`
	}
	body, err := json.Marshal(struct {
		IDs []string `json:"ids,omitempty"`
	}{ids})
	if err != nil {
		return 0, err
	}
	err = c.call(ctx, request{method: http.MethodPost, path: api.Fill(api.Redeliver, webhook), body: body}, &answer)
	return answer.Queued, err
}
