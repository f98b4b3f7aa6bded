// Package oslopolicy reads policy files of OpenStack services, in the language of oslo.policy: each action, and each name that others refer
// to, has a rule over the roles and attributes of whoever asks. What of the language would be decided elsewhere, such as checks by a
// URL, is refused.
//
// It may import the domain, decode, suggest, yaml and value. It does no I/O.
package oslopolicy
