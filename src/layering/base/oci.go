package base

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/data/limit"
)

// The annotations of layers that ORAS writes.
const (
	titleAnnotation  = "org.opencontainers.image.title"
	unpackAnnotation = "io.deis.oras.content.unpack"
)

// oci reads an artifact: the one with a digest, or with "" the one with the tag. Credentials are those of Docker's configuration.
func oci(ctx context.Context, s Source, digest string) (Content, error) {
	text := s.OCI + ":" + s.Tag
	if digest != "" {
		text = s.OCI + "@" + digest
	}
	reference, err := name.ParseReference(text, name.StrictValidation)
	if err != nil {
		return Content{}, &dovetail.Error{Code: dovetail.CodeInvalid, Message: text + " is no reference of an artifact: " + err.Error(), Remedy: "write oci: HOST/REPOSITORY, and the tag apart", Err: err}
	}
	found, err := remote.Get(reference, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return Content{}, unreachable(ctx, text, err)
	}
	image, err := found.Image()
	if err != nil {
		return Content{}, unreachable(ctx, text, err)
	}
	manifest, err := image.Manifest()
	if err != nil {
		return Content{}, unreachable(ctx, text, err)
	}
	files := collector{of: s}
	for _, layer := range manifest.Layers {
		blob, err := image.LayerByDigest(layer.Digest)
		if err != nil {
			return Content{}, unreachable(ctx, text, err)
		}
		if err := files.layer(layer, blob); err != nil {
			return Content{}, unreachable(ctx, text, err)
		}
	}
	return files.content(found.Digest.String())
}

// layer adds the files of a layer: of an archive, or the one that ORAS names.
func (c *collector) layer(of v1.Descriptor, blob v1.Layer) error {
	title := of.Annotations[titleAnnotation]
	switch {
	case title != "" && of.Annotations[unpackAnnotation] != "true":
		return c.single(title, blob)
	case strings.Contains(string(of.MediaType), "tar"):
		return c.archive(blob)
	}
	return &dovetail.Error{Code: dovetail.CodeInvalid, Message: "the artifact has a layer of the type " + string(of.MediaType) + ", which is neither an archive nor a file with a title",
		Remedy: "publish it with oras push or flux push artifact"}
}

func (c *collector) single(title string, blob v1.Layer) error {
	name := path.Clean("/" + title)[1:]
	to, below := c.takes(name)
	if !below {
		return nil
	}
	reader, err := blob.Compressed() // the blob as it is
	if err != nil {
		return err
	}
	defer reader.Close()
	data, err := c.unpacked(maxBytes).ReadAll(reader)
	if err != nil {
		return err
	}
	return c.add(to, data)
}

// unpacked limits what is read of one layer.
func (c *collector) unpacked(bytes int64) limit.Limit {
	return limit.Limit{Bytes: bytes, Of: "a layer of " + c.of.OCI, Remedy: "publish the layers only"}
}

func (c *collector) archive(blob v1.Layer) error {
	reader, err := blob.Uncompressed()
	if err != nil {
		return err
	}
	defer reader.Close()
	archive := tar.NewReader(c.unpacked(4 * maxBytes).Reader(reader))
	for {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		to, below := c.takes(path.Clean("/" + header.Name)[1:])
		if header.Typeflag != tar.TypeReg || !below {
			continue
		}
		data, err := c.unpacked(maxBytes).ReadAll(archive)
		if err != nil {
			return err
		}
		if err := c.add(to, data); err != nil {
			return err
		}
	}
}

// unreachable says why a registry does not give what it should.
func unreachable(ctx context.Context, what string, err error) error {
	var known *dovetail.Error
	var refused *transport.Error
	switch {
	case ctx.Err() != nil:
		return dovetail.AsError(ctx.Err())
	case errors.As(err, &known):
		return known
	case errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound:
		return &dovetail.Error{Code: dovetail.CodeNotFound, Message: "there is no artifact " + what, Remedy: "correct the base, or run dovetail layering lock", Err: err}
	case errors.As(err, &refused) && (refused.StatusCode == http.StatusUnauthorized || refused.StatusCode == http.StatusForbidden):
		return &dovetail.Error{Code: dovetail.CodeUnauthenticated, Message: "the registry does not give out " + what, Remedy: "log in with docker login, or another program that writes Docker's configuration", Err: err}
	}
	return &dovetail.Error{Code: dovetail.CodeUnavailable, Message: what + " cannot be read: " + err.Error(), Remedy: "check the registry and the network", Err: err}
}
