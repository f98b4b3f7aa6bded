package app

import (
	"context"
	"testing"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/internal/testkit/apptest"
)

func TestMain(m *testing.M) {
	apptest.Main(m, func(ctx context.Context, name string, arguments []string) int {
		return cli.RunAs(ctx, Program(), name, arguments)
	})
}
