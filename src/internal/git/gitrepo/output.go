package gitrepo

import (
	"errors"
	"io"
	"reflect"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// output is what the program of Git at the remote writes, up to a limit. The program runs on this machine, or is reached over ssh.
type output struct {
	io.Reader

	from io.Reader
}

// limitOutput sets the limit of what a session reads from a program from now on. go-git takes no reader for that: the session has it in a public field
// of a type that is not public.
func limitOutput(session transport.Session, most limit.Limit) error {
	unknown := errors.New("answers of this transport cannot be bounded")
	of := reflect.Indirect(reflect.ValueOf(session))
	if of.Kind() != reflect.Struct {
		return unknown
	}
	field := of.FieldByName("Stdout")
	if !field.IsValid() || !field.CanSet() {
		return unknown
	}
	from, is := field.Interface().(io.Reader)
	if !is {
		return unknown
	}
	if limited, is := from.(*output); is {
		from = limited.from
	}
	field.Set(reflect.ValueOf(&output{most.Reader(from), from}))
	return nil
}
