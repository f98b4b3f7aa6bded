package decode

import (
	"errors"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/value"
)

// ErrUnknownMember is the cause of errors about members that are not known, for Complete.
var ErrUnknownMember = errors.New("unknown member")

// Decoder says where values were read and what becomes of errors. The zero value is ready to use: it collects them in Errors.
type Decoder struct {
	File   string           // in positions
	Errors *dovetail.Errors // where errors go; nil to make one with the first error
	// Complete, where not nil, gives an error what the caller's errors have in common: a reason or another code than
	// dovetail.CodeInvalid.
	Complete func(*dovetail.Error)
	// CountOnly makes errors count in Errors without being described there.
	CountOnly bool
}

// Root is the field of a whole value, which messages call name: "the file", "a manifest". path leads to it, as a JSON Pointer.
func (d *Decoder) Root(v *value.Value, name, path string) Field {
	return Field{Value: v, d: d, name: name, base: path}
}

// Body reads the body of a request, an object of which these are the members.
func Body(v *value.Value, read func(Field), members ...string) error {
	var errs dovetail.Errors
	d := Decoder{Errors: &errs}
	if fields := d.Root(v, "the body", ""); fields.Map(members...) {
		read(fields)
	}
	return errs.Err("the body is refused")
}

// Err is the error of everything that was reported, nil without any. what is for its message: "invalid schema".
func (d *Decoder) Err(what string) error {
	if d.Errors == nil {
		return nil
	}
	return d.Errors.Err(what)
}

// errors is where errors go.
func (d *Decoder) errors() *dovetail.Errors {
	if d.Errors == nil {
		d.Errors = &dovetail.Errors{}
	}
	return d.Errors
}

// counts reports whether only the number of errors matters, and then counts one.
func (d *Decoder) counts() bool {
	errs := d.errors()
	if !d.CountOnly && !errs.Full() {
		return false
	}
	errs.Count(1)
	return true
}

// add adds an error.
func (d *Decoder) add(at dovetail.Position, remedy, message string, cause error) {
	e := &dovetail.Error{Code: dovetail.CodeInvalid, Position: at, Message: message, Remedy: remedy, Err: cause}
	if d.Complete != nil {
		d.Complete(e)
	}
	d.errors().Add(e)
}
