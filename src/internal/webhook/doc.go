// Package webhook tells other systems what happens in a store: it sends events of transactions and change sets to the URLs of
// subscriptions, signed as the specification Standard Webhooks has it (https://www.standardwebhooks.com), at least once and, for each
// subscription, in order.
//
// Events are derived from the change feed, and how far each subscription has come is kept in a document of the store's own
// that is written after each delivery. A process that dies in between delivers an event again, under the same id; none is lost.
// An event that its receiver does not take is kept as a dead letter, from which it can be delivered again.
//
// Subscriptions see what the principal that they name may read, and no more. Requests keep to the outbound policy.
//
// It may import the domain, value, decode, yaml, suggest, outbound and the store; it must not import a backend, a service, httpapi,
// client or cli.
package webhook
