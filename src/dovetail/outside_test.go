package dovetail_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// TestOutside: what this machine refuses is no defect of the program, however deep the error of the system is.
func TestOutside(t *testing.T) {
	for _, c := range []struct {
		errno    syscall.Errno
		reason   string
		onlyRead bool
	}{
		{syscall.ENOSPC, dovetail.ReasonDiskFull, true},
		{syscall.EDQUOT, dovetail.ReasonDiskFull, true},
		{syscall.EROFS, dovetail.ReasonReadOnly, true},
		{syscall.EIO, dovetail.ReasonDiskFails, false},
		{syscall.EMFILE, dovetail.ReasonTooManyFiles, false},
		{syscall.ENFILE, dovetail.ReasonTooManyFiles, false},
	} {
		cause := fmt.Errorf("copying: %w", errors.Join(errors.New("first"), &fs.PathError{Op: "write", Path: "/secret/x", Err: c.errno}))
		if code := dovetail.CodeOf(cause); code != dovetail.CodeUnavailable {
			t.Errorf("%v has the code %s", c.errno, code)
		}
		e := dovetail.AsError(cause)
		if e.Code != dovetail.CodeUnavailable || e.Reason != c.reason || e.Remedy == "" || !errors.Is(e, c.errno) || strings.Contains(e.Error(), "secret") {
			t.Errorf("%v is %+v", c.errno, e)
		}
		if got := dovetail.IsOnlyRead(e); got != c.onlyRead {
			t.Errorf("%v: only reads are possible: %t", c.errno, got)
		}
	}
	for _, err := range []error{nil, errors.New("no space left on device"), syscall.ENOENT, syscall.EACCES} {
		if e := dovetail.Outside(err); e != nil {
			t.Errorf("%v is %v", err, e)
		}
	}
}
