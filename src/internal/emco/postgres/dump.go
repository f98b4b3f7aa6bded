// Package postgres reads tables of PostgreSQL databases that other systems wrote.
package postgres

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Dump reads tables as of one moment, each as COPY writes it with FORMAT csv, HEADER and NULL '\N'. It changes nothing. A table
// that does not exist is left out. Errors: CodeUnavailable where the database cannot be reached, CodeInvalid.
func Dump(ctx context.Context, uri string, tables []string, read func(table string, text io.Reader) error) (err error) {
	conn, err := pgconn.Connect(ctx, uri)
	if err != nil {
		return refused(uri, err) // the driver shows no password
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := conn.Exec(ctx, "begin transaction isolation level repeatable read, read only").Close(); err != nil {
		return refused(uri, err)
	}
	for _, table := range tables {
		there := conn.ExecParams(ctx, "select to_regclass(quote_ident($1)) is not null", [][]byte{[]byte(table)}, nil, nil, nil).Read()
		if there.Err != nil {
			return refused(uri, there.Err)
		}
		if string(there.Rows[0][0]) != "t" {
			continue
		}
		var text bytes.Buffer
		if _, err := conn.CopyTo(ctx, &text, `copy "`+strings.ReplaceAll(table, `"`, `""`)+`" to stdout (format csv, header, null '\N')`); err != nil {
			return refused(uri, err)
		}
		if err := read(table, &text); err != nil {
			return err
		}
	}
	return nil
}

// refused makes an error of the driver one of the domain.
func refused(uri string, err error) error {
	e := &dovetail.Error{Code: dovetail.CodeUnavailable, Message: location(uri) + " cannot be read: " + err.Error(), Err: err,
		Remedy: "check that the database runs and lets you in"}
	var answer *pgconn.PgError
	var malformed *pgconn.ParseConfigError
	switch {
	case errors.As(err, &malformed):
		e.Code, e.Remedy = dovetail.CodeInvalid, "write it as postgres://USER:PASSWORD@HOST/DATABASE"
	case errors.As(err, &answer):
		e.Code, e.Remedy = dovetail.CodeInvalid, "read it as a user that may read all tables"
	}
	return e
}

// location is a URI without what may be secret.
func location(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return "the database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
