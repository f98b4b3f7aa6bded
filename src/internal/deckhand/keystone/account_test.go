package keystone_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone"
	"github.com/dovetail-store/dovetail/src/internal/deckhand/keystone/keystonetest"
)

func TestAccounts(t *testing.T) {
	server := keystonetest.New(t)
	server.Give("ann", "ann")
	password := fmt.Sprintf("username: %s, password: %s, project_name: service", keystonetest.User, keystonetest.Password)
	tests := []struct{ name, members, says string }{
		{name: "a password", members: password},
		{name: "domains by their ids", members: password + ", user_domain_id: default, project_domain_id: default"},
		{name: "an application credential", members: fmt.Sprintf("application_credential_id: %s, application_credential_secret: %s", keystonetest.AppID, keystonetest.AppKey)},
		{name: "a wrong password", members: "username: dovetail, password: other, project_name: service", says: "Keystone answered 401 Unauthorized to POST /v3/auth/tokens"},
		{name: "no project", members: "username: dovetail, password: swordfish", says: "401"},
		{name: "no account", members: "project_name: service", says: "auth names no account"},
		{name: "a misspelled member", members: password + ", user_domain_nam: Default", says: `user_domain_name`},
		{name: "no secret", members: "application_credential_id: x", says: "application_credential_secret"},
		{name: "a credential without a user", members: "application_credential_name: x, application_credential_secret: y", says: "among those of a user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client, err := keystone.New(keystone.Options{File: server.AccountWith(t, tt.members)})
			if err == nil {
				_, err = client.Validate(t.Context(), "ann")
			}
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
			if err != nil && strings.Contains(err.Error(), keystonetest.Password) {
				t.Errorf("shows a secret: %v", err)
			}
		})
	}
}

func TestAccountFiles(t *testing.T) {
	tests := []struct{ name, text, says string }{
		{name: "nothing", text: "", says: "not one document"},
		{name: "no auth", text: "cacert: x", says: "auth"},
		{name: "a list", text: "[]", says: "account for Keystone"},
		{name: "no URL", text: "auth: {username: x, password: y}", says: "auth_url"},
		{name: "no URL of HTTP", text: "auth: {auth_url: 'ldap://x', username: x, password: y}", says: "auth_url is no URL of HTTP"},
		{name: "a version that is gone", text: "auth: {auth_url: 'http://x', username: x, password: y}\nidentity_api_version: 2", says: "identity_api_version"},
		{name: "another way", text: "auth: {auth_url: 'http://x', username: x, password: y}\nauth_type: v3oidcpassword", says: "auth_type"},
		{name: "two ways", text: "auth: {auth_url: 'http://x', application_credential_id: x, application_credential_secret: y}\nauth_type: password", says: "auth_type is password"},
		{name: "a credential that is missing", text: "auth: {auth_url: 'http://x', username: x, password: y}\nauth_type: v3applicationcredential", says: "no application credential"},
		{name: "a misspelled member", text: "auht: {}", says: "auth"},
		{name: "no certificates", text: "auth: {auth_url: 'https://x', username: x, password: y}\ncacert: missing.pem", says: "CA certificates of Keystone"},
		{name: "all of it", text: "auth: {auth_url: 'https://x', username: x, password: y}\nauth_type: password\nidentity_api_version: '3'"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "keystone.yaml")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := keystone.New(keystone.Options{File: file})
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
	if _, err := keystone.New(keystone.Options{File: "missing.yaml"}); dovetail.CodeOf(err) != dovetail.CodeInvalid {
		t.Errorf("without a file: %v", err)
	}
}
