// Package load writes to a server from several clients at once, each repeating what was not answered, and
// remembers what was acknowledged, so that a test can fail things meanwhile and then ask whether anything is lost.
package load
