package gitsync_test

import (
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/envelope"
	"github.com/dovetail-store/dovetail/src/internal/gitsync"
	"github.com/dovetail-store/dovetail/src/internal/sealing"
	"github.com/dovetail-store/dovetail/src/store"
)

// A store that encrypts credentials does not commit them in clear, unless that is wanted; what is encrypted already it does.
func TestSensitiveInClear(t *testing.T) {
	t.Parallel()
	const (
		file   = "configuration/credentials/credentials.yml"
		fernet = `[encrypted:AES256_Fernet]gAAAAABmZm9v`
	)
	text, err := envelope.NewKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := envelope.ParseKeyFile("main.key", text)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{file: "there:\n  type: secret   # ours\n  data: {secret: \"" + fernet + "\"}\n"}
	for _, test := range []struct {
		name    string
		keys    sealing.MainKeys
		options gitsync.Options
		secret  string
		refused bool
	}{
		{"clear in a store that encrypts", keys, gitsync.Options{}, "swordfish", true},
		{"encrypted elsewhere", keys, gitsync.Options{}, fernet, false},
		{"clear is wanted", keys, gitsync.Options{Clear: true}, "swordfish", false},
		{"a store that does not encrypt", nil, gitsync.Options{}, "swordfish", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newRemote(t, files)
			b.openStore(func(inner store.Backend) store.Backend { return sealing.New(inner, sealing.Options{Keys: test.keys}) })
			if err := b.attach(test.options); err != nil {
				t.Fatal(err)
			}
			op := store.Operation{Verb: store.Put, ID: "credential/new", Data: b.put("credential/new", `{"type":"secret","data":{"secret":"`+test.secret+`"}}`).Data}
			_, err := b.apply(t.Context(), op)
			now := b.show(file)
			if !strings.HasPrefix(now, files[file]) {
				t.Errorf("what was there changed: %s", now)
			}
			if test.refused {
				if e := dovetail.AsError(err); e == nil || e.Code != dovetail.CodeUnprocessable || e.Reason != gitsync.ReasonSensitive || strings.Contains(e.Error(), test.secret) {
					t.Errorf("not refused: %v", err)
				}
				if strings.Contains(now, test.secret) {
					t.Error("it is committed in clear")
				}
				return
			}
			if err != nil || !strings.Contains(now, test.secret) {
				t.Errorf("%v: %s", err, now)
			}
		})
	}
}
