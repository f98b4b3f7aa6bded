package httpapi_test

import (
	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
)

// anyone are the needs of endpoints of tests.
var anyone = httpapi.Requires([]string{"project"}, dovetail.RightRead)
