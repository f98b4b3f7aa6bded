package descriptor_test

import (
	"testing"

	"github.com/dovetail-store/dovetail/src/descriptor"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apitest"
)

// TestRepeated sends writes again under their idempotency keys, after others have changed the same SD.
func TestRepeated(t *testing.T) {
	s := newServer(t, descriptor.Options{})
	other := func(c *apitest.Server) {
		c.Must(200, "PUT", fullPath, `{"applications":[{"version":"z:9","deployPostfix":"x"}]}`)
	}
	s.http.CheckRepeated(t, []apitest.Repeated{
		{Name: "put", Method: "PUT", Path: fullPath, Body: `{"applications":[{"version":"a:1","deployPostfix":"x"}]}`, Status: 201, Between: other, Other: `{"applications":[{"version":"a:2","deployPostfix":"x"}]}`},
		{Name: "put of what is stored", Unchanged: true, Method: "PUT", Path: fullPath, Body: `{"applications":[{"version":"z:9","deployPostfix":"x"}]}`, Status: 200, Other: `{"applications":[{"version":"a:2","deployPostfix":"x"}]}`,
			Between: func(c *apitest.Server) {
				c.Must(200, "PUT", fullPath, `{"applications":[{"version":"y:9","deployPostfix":"x"}]}`)
			}},
		{Name: "process", Method: "POST", Path: process, Body: `{"SD_SOURCE_TYPE":"json","SD_DATA":[{"applications":[{"version":"b:1","deployPostfix":"x"}]}]}`, Status: 200, Between: other,
			Other: `{"SD_SOURCE_TYPE":"json","SD_DATA":[{"applications":[{"version":"b:2","deployPostfix":"x"}]}]}`},
		{Name: "delete", Method: "DELETE", Path: fullPath, Status: 204, Between: func(c *apitest.Server) {
			c.Must(201, "PUT", fullPath, `{"applications":[{"version":"z:9","deployPostfix":"x"}]}`)
		}},
	})
	if got := s.sd(fullPath); got != `{"applications":[{"version":"z:9","deployPostfix":"x"}]}` {
		t.Errorf("the deletion was done twice: %s", got)
	}
}
