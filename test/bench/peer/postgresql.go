package peer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The foreign keys carry no indexes of their own, which PostgreSQL does not need to insert, only to delete
// targets: the benchmark creates, and this is the fastest schema for it.
const postgreSQLSchema = `
create table parents (name text primary key);
create table lefts (name text primary key);
create table rights (name text primary key);
create table items (
  parent  text not null references parents,
  name    text not null,
  "left"  text not null references lefts,
  "right" text not null references rights,
  data    jsonb not null,
  primary key (parent, name)
);
insert into parents select 'target-' || lpad(n::text, 3, '0') from generate_series(0, %[1]d) n;
insert into lefts select name from parents;
insert into rights select name from parents;
`

const foreignKeyViolation = "23503"

type postgreSQL struct {
	server *process
	pool   *pgxpool.Pool
}

// OpenPostgreSQL starts a PostgreSQL server with its default settings (fsync and synchronous_commit on) that
// listens on a Unix socket only, one connection for each writer.
func OpenPostgreSQL(ctx context.Context, dir string, writers int) (Peer, error) {
	bin, err := postgreSQLPrograms()
	if err != nil {
		return nil, err
	}
	owner, err := postgreSQLUser(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--no-locale", "-E", "UTF8")
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	initdb.Dir = dir
	if output, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, output)
	}
	p := &postgreSQL{}
	p.server, err = start(owner, filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=",
		"-c", "max_connections="+strconv.Itoa(writers+20))
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(fmt.Sprintf("host=%s user=postgres dbname=postgres pool_max_conns=%d", dir, writers))
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if p.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if err := p.server.await(ctx, p.pool.Ping); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	if _, err := p.pool.Exec(ctx, fmt.Sprintf(postgreSQLSchema, Targets-1)); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Create inserts one row, in a transaction of its own; the foreign keys do the checks. pgx prepares the
// statement once on each connection.
func (p *postgreSQL) Create(ctx context.Context, item Item) error {
	_, err := p.pool.Exec(ctx, `insert into items (parent, name, "left", "right", data) values ($1, $2, $3, $4, $5)`,
		TargetName(item.Parent), item.Name(), TargetName(item.Left), TargetName(item.Right), item.Data())
	var failed *pgconn.PgError
	if errors.As(err, &failed) && failed.Code == foreignKeyViolation {
		return ErrDangling
	}
	return err
}

func (p *postgreSQL) Close() error {
	if p.pool != nil {
		p.pool.Close()
	}
	return p.server.stop(os.Interrupt)
}

// postgreSQLPrograms finds the folder of the newest PostgreSQL: as Debian installs it, or on the PATH.
func postgreSQLPrograms() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		version := func(program string) int {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(program)))) // not a number: oldest
			return n
		}
		newest := slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) })
		return filepath.Dir(newest), nil
	}
	program, err := exec.LookPath("postgres")
	if err != nil {
		return "", fmt.Errorf("postgres: %w", ErrMissing)
	}
	return filepath.Dir(program), nil
}

// postgreSQLUser returns the user that the server runs as, and gives that user the folder: PostgreSQL refuses to run as root.
func postgreSQLUser(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	postgres, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("the user postgres: %w", ErrMissing)
	}
	uid, err := strconv.ParseUint(postgres.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(postgres.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}
