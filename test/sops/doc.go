// Package sops lets SOPS read what we write, and us what SOPS writes. It only holds tests.
package sops
