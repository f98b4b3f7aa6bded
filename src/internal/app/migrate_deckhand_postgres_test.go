package app

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dovetail-store/dovetail/src/internal/testkit/memdir"
)

// postgresVariable names a PostgreSQL server, as postgres://USER@HOST/DATABASE, on which tests make databases of their own.
const postgresVariable = "DOVETAIL_TEST_POSTGRES_URI"

// deckhandTables are made as Deckhand's migrations make them.
const deckhandTables = `
create table alembic_version (version_num varchar(32) primary key);
create table buckets (created_at timestamp not null, updated_at timestamp, deleted_at timestamp, deleted boolean not null, id serial primary key, name varchar(36) unique);
create table revisions (created_at timestamp not null, updated_at timestamp, deleted_at timestamp, deleted boolean not null, id serial primary key);
create table documents (created_at timestamp not null, updated_at timestamp, deleted_at timestamp, deleted boolean not null, id serial primary key, name varchar(64) not null,
	schema varchar(64) not null, layer varchar(64), meta jsonb not null, data jsonb, data_hash varchar not null, metadata_hash varchar not null,
	bucket_id integer not null references buckets on delete cascade, revision_id integer not null references revisions on delete cascade,
	orig_revision_id integer references revisions on delete cascade, unique (schema, layer, name, revision_id));
create table revision_tags (created_at timestamp not null, updated_at timestamp, deleted_at timestamp, deleted boolean not null, id serial primary key, tag varchar(64) not null,
	data jsonb, revision_id integer not null references revisions on delete cascade);
create table validations (created_at timestamp not null, updated_at timestamp, deleted_at timestamp, deleted boolean not null, id serial primary key, name varchar(64) not null,
	status varchar(8) not null, validator jsonb not null, errors jsonb not null, revision_id integer not null references revisions on delete cascade)`

// freshPostgres makes a database, which is dropped when the test ends.
func freshPostgres(t *testing.T) string {
	t.Helper()
	given := os.Getenv(postgresVariable)
	if given == "" {
		t.Skip(postgresVariable + " names no PostgreSQL server to test on")
	}
	uri, err := url.Parse(given)
	if err != nil {
		t.Fatal(err)
	}
	name := "dovetail_test_" + strings.ToLower(rand.Text())
	inPostgres(t, given, "create database "+name)
	t.Cleanup(func() { inPostgres(t, given, "drop database "+name+" with (force)") })
	uri.Path = "/" + name
	return uri.String()
}

// inPostgres runs SQL, and loads tables from files.
func inPostgres(t *testing.T, uri, sql string, tables ...string) {
	t.Helper()
	ctx := context.Background() // also after the test
	conn, err := pgconn.Connect(ctx, uri)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.Exec(ctx, sql).Close(); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		file, err := os.Open(deckhandDatabase + table + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.CopyFrom(ctx, file, "copy "+table+` from stdin (format csv, header, null '\N')`)
		if err != nil {
			t.Fatal(table, err)
		}
		_ = file.Close()
	}
}

// TestMigrateDeckhandPostgres migrates from a database that runs.
func TestMigrateDeckhandPostgres(t *testing.T) {
	uri := freshPostgres(t)
	key, location := newMainKey(t), "bolt:"+filepath.Join(memdir.New(t), "deckhand.db")
	migrate := []string{"migrate", "deckhand", uri, "--barbican", deckhandDatabase + "barbican.json", "--encryption-key-file", key, "--store", location}
	command(t, 6, "", migrate...) // there are no tables
	inPostgres(t, uri, deckhandTables, "alembic_version", "buckets", "revisions", "documents", "revision_tags", "validations")
	command(t, 0, "", migrate...)
	// A dump of the same database is the same.
	dump := []string{"migrate", "deckhand", deckhandDatabase, "--barbican", deckhandDatabase + "barbican.json", "--encryption-key-file", key, "--store", location}
	if text := command(t, 0, "", dump...); !strings.Contains(text, "there already") {
		t.Error(text)
	}
	s := start(t, map[string]string{"store": location, "encryption-key-file": key, "layering-profile": "deckhand"})
	compareDeckhandAnswers(t, s)
}

// TestUnreachablePostgres pins that errors show no password.
func TestUnreachablePostgres(t *testing.T) {
	for _, uri := range []string{"postgres://deckhand:swordfish@127.0.0.1:1/deckhand", "postgres://deckhand:swordfish@127.0.0.1:x/deckhand", "mysql://deckhand:swordfish@db/deckhand"} {
		err := ReadTables(t.Context(), uri, nil, nil)
		if err == nil || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: %v", uri, err)
		}
	}
}
