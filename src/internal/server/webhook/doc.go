// Package webhook notifies other systems of events in a store: it sends events of transactions and change sets to the URLs of
// subscriptions, signed as in Standard Webhooks (https://www.standardwebhooks.com), at least once and, for each
// subscription, in order.
//
// Events are derived from the history, commit by commit, and the progress of each subscription is a position in it, stored in an
// internal document that is written after each delivery. A process that dies in between delivers an event again, under the same id.
// None is lost, unless the history no longer has it: then an event says which may be.
// An event that its receiver does not accept is kept as a dead letter, which can be delivered again.
//
// A subscription has the rights of its principal. Requests obey the outbound policy.
package webhook
