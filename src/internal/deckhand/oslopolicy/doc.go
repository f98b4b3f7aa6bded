// Package oslopolicy reads policy files of OpenStack services, in the language of oslo.policy: each action, and each named rule,
// is a rule over the roles and attributes of the caller. Checks that need another service, such as those of a URL, are refused.
//
// It does no I/O.
package oslopolicy
