package httpapi

import "net/http"

// postRotate makes one step of a rotation of data keys.
func postRotate(x *requestContext) error {
	p, err := x.parameters("key")
	if err != nil {
		return err
	}
	step, err := x.api.store.Rotate(x.ctx, p.text("key"))
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, encodeJSON(step))
}
