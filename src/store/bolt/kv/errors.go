package kv

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

func damagedFile(cause error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Err: cause,
		Message: "the store's file is damaged",
		Remedy:  "stop the server, keep the file, and restore the store from a backup"}
}

func closed() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store is closed"}
}

func readOnly() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store is open for reading only",
		Remedy: "open it for writing"}
}

// NotWritten says that nothing was changed.
func NotWritten(cause error) *dovetail.Error {
	e := outside(cause)
	if e == nil {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Err: cause,
			Message: "the store cannot write", Remedy: "see the server's log, and try again"}
	}
	e.Message = "the store cannot write: " + e.Message
	switch e.Reason {
	case dovetail.ReasonDiskFull:
		e.Remedy = "free space on the disk of the store's file, or delete documents; reads are served meanwhile"
	case dovetail.ReasonReadOnly:
		e.Remedy = "make the store's file, its folder and their file system writable; reads are served meanwhile"
	}
	return e
}

// notKnown says that the disk failed at a moment after which both is possible.
func notKnown(cause error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnknown, Err: cause,
		Message: "the disk failed while the store committed; the write may be there or not",
		Remedy:  "check the disk, restart the server, and look"}
}

// stopped is the answer to all writes after the disk has failed.
func stopped(cause error) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Err: cause,
		Message: "the store stopped writing after the disk failed", Remedy: "check the disk, and restart the server"}
}

// outside is dovetail.Outside, for which a file that may not grow is one on a full disk, and one that may not be written one that is read-only.
func outside(err error) *dovetail.Error {
	if errors.Is(err, fs.ErrPermission) {
		return &dovetail.Error{Code: dovetail.CodeUnavailable, Reason: dovetail.ReasonReadOnly, Message: "the process may not write the file or its folder",
			Remedy: "give the server's user the right to read and write the store's file and its folder", Err: err}
	}
	if errors.Is(err, berrors.ErrMaxSizeReached) {
		err = errors.Join(err, syscall.ENOSPC)
	}
	return dovetail.Outside(err)
}

// onlyReads reports whether the error is that of a file that can be read, but not written at the moment.
func onlyReads(err error) bool {
	e := outside(err)
	return e != nil && dovetail.IsOnlyRead(e)
}

// openError makes an error of opening a file ours.
func openError(path string, err error) *dovetail.Error {
	var told *dovetail.Error
	if errors.As(err, &told) && told.Err == nil {
		return told // one of ours that names the path
	}
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Err: err}
	var pathError *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		e.Message = fmt.Sprintf("%s is in use by another process", path)
		e.Remedy = "stop the other process, or name another file"
	case errors.Is(err, fs.ErrNotExist):
		e.Message = fmt.Sprintf("%s does not exist", path)
		e.Remedy = "name a file that exists"
	case errors.Is(err, fs.ErrPermission):
		e.Message = fmt.Sprintf("%s cannot be opened: %s", path, reason(err))
		e.Remedy = "give the server's user the right to read and write the file and its folder"
	case outside(err) != nil:
		known := outside(err)
		e.Reason, e.Remedy = known.Reason, known.Remedy
		e.Message = fmt.Sprintf("%s cannot be opened: %s", path, known.Message)
	case errors.As(err, &pathError), errors.As(err, &errno):
		e.Message = fmt.Sprintf("%s cannot be opened: %s", path, reason(err))
		e.Remedy = "name a file that can be read and written"
	default:
		e.Code = dovetail.CodeCorrupt
		e.Message = fmt.Sprintf("%s is damaged, or is not a store of Dovetail", path)
		e.Remedy = "keep the file, and restore the store from a backup, or name another file"
	}
	return e
}

// reason is the operating system's word without operation and path.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// guard turns a panic of bbolt over a damaged file into an error. Reading a page that the file is
// too short to hold faults; catchFaults makes that a panic too.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = damagedFile(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

// catchFaults makes memory faults of this goroutine panics, and returns what undoes it.
func catchFaults() (undo func()) {
	was := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(was) }
}
