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
	Behind      int      `json:"behind"`             // how many events wait to be delivered, counted up to MaxBehind
	Failure     *Failure `json:"failure,omitempty"`  // of the next event; nil if its delivery has not failed
	Lost        *Lost    `json:"lost,omitempty"`     // the last lost events; nil if none were ever lost
	DeadLetters int      `json:"deadLetters"`
}

// MaxBehind is the number up to which Webhook.Behind is counted.
const MaxBehind = 1000

// Lost are events of a webhook that are never delivered, since the history of the store no longer had them when it was their turn.
type Lost struct {
	After    string    `json:"after"`    // the position of the last commit before them
	Position string    `json:"position"` // that of the last commit among them
	Time     time.Time `json:"time"`     // when this was found out
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
