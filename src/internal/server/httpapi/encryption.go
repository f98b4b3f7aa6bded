package httpapi

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/store"
)

// postRotate makes one step of a rotation of data keys.
func postRotate(x *requestContext) error {
	p, err := x.parameters("key", "eraseHistory")
	if err != nil {
		return err
	}
	erase, err := p.flag("eraseHistory")
	if err != nil {
		return err
	}
	step, err := x.api.store.Rotate(x.ctx, store.RotateOptions{Key: p.text("key"), EraseHistory: erase})
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(step))
}
