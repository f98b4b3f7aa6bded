package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/internal/cli"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/store/mongo"
	"github.com/dovetail-store/dovetail/src/store/mongo/protocol"
)

// raiseCommand raises the protocol level.
const raiseCommand = "dovetail doctor --raise-protocol"

// announced is a backend that several processes use, each of which announces itself to the others: nil for others.
type announced interface {
	Level() (level, newest protocol.Level)
	SetName(ctx context.Context, name string) error
}

// protocolLevel is the check of /readyz that shows the protocol level.
func (s *Server) protocolLevel(context.Context) (string, error) {
	level, newest := s.announced.Level()
	if level < newest {
		return fmt.Sprintf("level %d of %d: raise it with `%s` once no process of an earlier version runs", level, newest, raiseCommand), nil
	}
	return fmt.Sprintf("level %d", level), nil
}

// examineLevel is a check of `dovetail doctor`: of the store, not of the server.
func examineLevel(ctx context.Context, location string) (cli.ServerCheck, error) {
	began := time.Now()
	check := cli.ServerCheck{Name: "protocol-level", Holds: true, Detail: fmt.Sprintf("there is no store: a new one starts at level %d", protocol.NewestLevel)}
	report, err := mongo.ReadLevel(ctx, location)
	if err == nil && report != nil {
		check = checkOfLevel(report)
	}
	check.Took = time.Since(began)
	return check, err
}

func checkOfLevel(report *mongo.LevelReport) cli.ServerCheck {
	check := cli.ServerCheck{Name: "protocol-level", Required: report.Level > protocol.NewestLevel, Holds: report.Level == protocol.NewestLevel}
	var behind []string
	for _, m := range report.Running {
		if m.Knows < protocol.NewestLevel {
			behind = append(behind, fmt.Sprintf("%s (version %s) knows level %d", m.Name, cmp.Or(m.Version, "unknown"), m.Knows))
		}
	}
	if report.Earlier != "" {
		behind = append(behind, "of versions that know no levels "+report.Earlier)
	}
	check.Detail = fmt.Sprintf("level %d of %d; running processes: %d", report.Level, protocol.NewestLevel, len(report.Running))
	if len(behind) > 0 {
		check.Detail += "; " + strings.Join(behind, "; ")
	}
	switch {
	case check.Holds:
	case check.Required:
		check.Effect = "this version of Dovetail refuses to start: use the one that raised the level, or a later one"
	default:
		check.Effect = fmt.Sprintf("creations take one round trip more; raise the level with `%s` once no process of an earlier version runs, which cannot be undone", raiseCommand)
	}
	return check
}

// RaiseProtocol raises the protocol level of the store at a location, for the command line.
func RaiseProtocol(ctx context.Context, location string) (cli.RaisedLevel, error) {
	if !isMongo(location) {
		return cli.RaisedLevel{}, noMongo(location)
	}
	backend, err := mongo.Open(ctx, location, mongo.Options{Name: processName(""), Version: cli.ReadBuild().Version, ExternalMaintenance: true})
	if err != nil {
		return cli.RaisedLevel{}, err
	}
	from, err := backend.RaiseLevel(ctx, func(ctx context.Context) error { return store.ForgetIndexes(ctx, backend) })
	to, _ := backend.Level()
	return cli.RaisedLevel{From: int(from), To: int(to)}, closeAfter(backend, err)
}
