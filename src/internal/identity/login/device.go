package login

import (
	"cmp"
	"context"
	"errors"
	"time"

	"golang.org/x/oauth2"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Code is what a user enters on another device.
type Code struct {
	Code    string
	URL     string // where to enter it
	Whole   string // the URL with the code in it; "" where the provider has none
	Expires time.Time
}

// Device logs in a user who enters a code in a browser on another device. show is called with the code.
// Errors: CodeUnauthenticated and CodeForbidden, CodeTimeout when the code was not entered in time, and those of the provider.
func (p *Provider) Device(ctx context.Context, show func(Code)) (Token, error) {
	if p.config.Endpoint.DeviceAuthURL == "" {
		return Token{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the provider " + p.options.Issuer + " has no codes for other devices", Remedy: "log in with a browser on this machine: `dovetail login`"}
	}
	given, err := p.config.DeviceAuth(p.asking(ctx))
	if err != nil {
		return Token{}, p.failed(ctx, err)
	}
	show(Code{Code: plain(given.UserCode), URL: plain(given.VerificationURI), Whole: plain(given.VerificationURIComplete), Expires: given.Expiry})
	token, err := p.config.DeviceAccessToken(p.asking(ctx), given)
	var refused *oauth2.RetrieveError
	switch {
	case err == nil:
		return p.accept(ctx, token, "")
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded), errors.As(err, &refused) && refused.ErrorCode == "expired_token":
		return Token{}, &dovetail.Error{Code: dovetail.CodeTimeout, Message: "the code was not entered in time", Remedy: "run `dovetail login --device` again", Err: cmp.Or(ctx.Err(), err)}
	}
	return Token{}, p.failed(ctx, err)
}
