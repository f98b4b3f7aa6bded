package follow

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// signatureAnnotation holds, at each layer of a signature image, the signature of what the layer says.
const signatureAnnotation = "dev.cosignproject.cosign/signature"

// maxPayload is the limit on a text that is signed.
var maxPayload = limit.Limit{Bytes: 1 << 20, Of: "the payload of a signature", Remedy: "sign the image with cosign"}

// verify returns an error unless an image has a signature that cosign made with the key: an image with the tag sha256-DIGEST.sig, whose
// layers are payloads as containers/image specifies them ("simple signing") and name the digest.
func (f *Fetcher) verify(repository name.Repository, digest v1.Hash, s *Spec, options []remote.Option) error {
	refuse := func(why string) error {
		return &dovetail.Error{Code: dovetail.CodeUnprocessable, Message: fmt.Sprintf("%s has no valid signature by the key: %s", digest, why),
			Remedy: "sign it with cosign, or correct publicKey"}
	}
	key, err := parsePublicKey(s.PublicKey)
	if err != nil {
		return refuse(err.Error())
	}
	tag := repository.Tag(strings.ReplaceAll(digest.String(), ":", "-") + ".sig")
	image, err := remote.Image(tag, options...)
	if err != nil {
		return refuse("there is no " + tag.TagStr())
	}
	manifest, err := image.Manifest()
	if err != nil {
		return unreachable(tag.String(), err)
	}
	why := "it has no layer with a signature"
	for _, layer := range manifest.Layers {
		signature, err := base64.StdEncoding.DecodeString(layer.Annotations[signatureAnnotation])
		if err != nil || len(signature) == 0 {
			continue
		}
		payload, err := payloadOf(image, layer.Digest)
		if err != nil {
			return unreachable(tag.String(), err)
		}
		if !isSignedBy(key, payload, signature) {
			why = "it is of another key"
			continue
		}
		var said struct {
			Critical struct {
				Image struct {
					Digest string `json:"docker-manifest-digest"`
				} `json:"image"`
			} `json:"critical"`
		}
		if err := json.Unmarshal(payload, &said); err != nil || said.Critical.Image.Digest != digest.String() {
			why = "it is of another image"
			continue
		}
		return nil
	}
	return refuse(why)
}

func payloadOf(image v1.Image, digest v1.Hash) ([]byte, error) {
	layer, err := image.LayerByDigest(digest)
	if err != nil {
		return nil, err
	}
	text, err := layer.Compressed() // as it is stored: payloads are not compressed
	if err != nil {
		return nil, err
	}
	defer text.Close()
	return maxPayload.ReadAll(text)
}

// parsePublicKey reads a key in PEM.
func parsePublicKey(text string) (crypto.PublicKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("it has no block that begins with -----BEGIN PUBLIC KEY-----")
	}
	return x509.ParsePKIXPublicKey(block.Bytes)
}

// isSignedBy reports whether the signature of a text is by a key, of the kinds that cosign makes.
func isSignedBy(key crypto.PublicKey, text, signature []byte) bool {
	sum := sha256.Sum256(text)
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, sum[:], signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) == nil
	case ed25519.PublicKey:
		return ed25519.Verify(key, text, signature)
	}
	return false
}
