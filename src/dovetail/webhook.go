package dovetail

import (
	"encoding/json"
	"time"
)

// Webhook is the subscription of another system to events, as a server reports it.
type Webhook struct {
	Name      string   `json:"name"`
	URL       string   `json:"url"` // without its query
	Events    []string `json:"events"`
	Kinds     []string `json:"kinds,omitempty"`
	Under     []ID     `json:"under,omitempty"`
	Principal string   `json:"principal,omitempty"` // under whose rights it sees events
	Groups    []string `json:"groups,omitempty"`

	Position    string   `json:"position,omitempty"` // up to which events were delivered; "" before the first start
	Delivered   int      `json:"delivered"`          // how many events were delivered
	Failure     *Failure `json:"failure,omitempty"`  // of the next event; nil if its delivery has not failed
	DeadLetters int      `json:"deadLetters"`
}

// Failure is an event that the receiver has not accepted yet; its delivery is retried.
type Failure struct {
	Event    string    `json:"event"` // its id
	Type     string    `json:"type"`
	Since    time.Time `json:"since"`
	Attempts int       `json:"attempts"`
	Error    string    `json:"error"` // of the last attempt
	Next     time.Time `json:"next"`  // the next attempt
}

// DeadLetter is an event whose delivery was given up after too many failed attempts.
type DeadLetter struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Since     time.Time       `json:"since"` // the first attempt
	Last      time.Time       `json:"last"`
	Attempts  int             `json:"attempts"`
	Error     string          `json:"error"`               // of the last attempt
	Redeliver bool            `json:"redeliver,omitempty"` // its redelivery was requested
	Event     json.RawMessage `json:"event"`               // the body of the request
}
