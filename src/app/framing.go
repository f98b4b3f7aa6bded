package app

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/framing"
)

// refuseFraming answers a request that another server could take for a different one.
func refuseFraming(w http.ResponseWriter, r *http.Request, fault framing.Fault) {
	refuseRequest(&guardedWriter{ResponseWriter: w, asked: r}, r, http.StatusBadRequest, &dovetail.Error{Code: dovetail.CodeInvalid,
		Message: string(fault), Remedy: "send one Content-Length or Transfer-Encoding: chunked, and each header in one line that ends with CR LF"})
}
