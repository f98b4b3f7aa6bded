package dovetail

import (
	"errors"
	"syscall"
)

// Reasons of CodeUnavailable if this machine refuses what is needed. With the first two the database serves reads, but refuses writes.
const (
	ReasonDiskFull     = "disk-full"      // there is no space, or the quota is used up
	ReasonReadOnly     = "read-only"      // the file system takes no writes
	ReasonDiskFails    = "disk-fails"     // the disk reports an input or output error
	ReasonTooManyFiles = "too-many-files" // the process or the machine has no file descriptors left
)

// outside has the errors of the operating system that no program can prevent.
var outside = []struct {
	of              []syscall.Errno
	reason          string
	message, remedy string
}{
	{[]syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}, ReasonDiskFull, "the disk is full", "free space on it, and try again"},
	{[]syscall.Errno{syscall.EROFS}, ReasonReadOnly, "the file system is read-only",
		"make it writable, and try again; a file system turns read-only when its disk fails"},
	{[]syscall.Errno{syscall.EIO}, ReasonDiskFails, "the disk cannot be read or written",
		"check the disk: the system's log says what it reports"},
	{[]syscall.Errno{syscall.EMFILE, syscall.ENFILE}, ReasonTooManyFiles, "too many files are open",
		"raise the limit of open files (ulimit -n), and try again"},
}

// Outside returns an error of the operating system that no program can prevent as an Error of CodeUnavailable, with its reason and err
// as the cause; nil for any other. It looks through errors of this package for their cause.
func Outside(err error) *Error {
	for _, o := range outside {
		for _, errno := range o.of {
			if errors.Is(err, errno) {
				return &Error{Code: CodeUnavailable, Reason: o.reason, Message: o.message, Remedy: o.remedy, Err: err}
			}
		}
	}
	return nil
}

// IsOnlyRead reports whether the error is one of a database that serves reads, but refuses writes until there is space again, or its file
// system is writable again.
func IsOnlyRead(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeUnavailable && (e.Reason == ReasonDiskFull || e.Reason == ReasonReadOnly)
}
