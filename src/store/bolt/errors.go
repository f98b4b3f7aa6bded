package bolt

import (
	"fmt"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/store"
)

func damagedDocument(id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: id,
		Message: fmt.Sprintf("the stored document %s is damaged", id),
		Remedy:  "restore the store from a backup; fsck lists all that are damaged"}
}

func erased(id dovetail.ID) *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeExpired, Key: id,
		Message: fmt.Sprintf("what %s said then is no longer kept", id), Remedy: store.RemedyErased}
}

func closed() *dovetail.Error {
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: "the store is closed"}
}
