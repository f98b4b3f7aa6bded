package follow

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/klauspost/compress/zstd"

	"github.com/dovetail-store/dovetail/src/internal/data/limit"
	"github.com/dovetail-store/dovetail/src/resolution/catalog"
)

// whiteout begins the names of files that delete those of lower layers.
const whiteout = ".wh."

// maxWindow is the memory of a decompressor of zstd; programs that make images use less.
const maxWindow = 8 << 20

// overlay is the folder of the catalog in an image, whose layers are read from the last one down: the first file of a name is the file.
type overlay struct {
	load     *load
	root     string // with a slash at its end
	unpacked *limit.Budget
	seen     map[string]bool // reports by name whether the names below are hidden
	files    []catalog.File
}

// configs reads the files of the catalog in an image.
func (f *Fetcher) configs(l *load, image v1.Image) ([]catalog.File, error) {
	manifest, err := image.Manifest()
	if err != nil {
		return nil, unreachable(l.of, err)
	}
	if err := metadata.Check(manifest.Config.Size); err != nil { // which is read as a whole
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, unreachable(l.of, err)
	}
	root := config.Config.Labels[configsLabel]
	if root == "" {
		root = defaultConfigs
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, unreachable(l.of, err)
	}
	o := overlay{load: l, root: strings.Trim(path.Clean(root), "/") + "/", seen: make(map[string]bool),
		unpacked: limit.Limit{Bytes: unpackedFactor * f.options.MaxBytes, Of: l.of + ", unpacked,", Remedy: raiseSource}.Budget()}
	for _, layer := range slices.Backward(layers) {
		if err := o.add(layer); err != nil {
			return nil, unreachable(l.of, err)
		}
	}
	return o.files, nil
}

// add reads a layer. All of it is read, so that its digest is verified.
func (o *overlay) add(layer v1.Layer) error {
	packed, err := layer.Compressed()
	if err != nil {
		return err
	}
	defer packed.Close()
	text, err := unpack(packed)
	if err != nil {
		return err
	}
	defer text.Close()
	archive := tar.NewReader(o.unpacked.Reader(text))
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := o.entry(header, archive); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, o.unpacked.Reader(text)); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, o.unpacked.Reader(packed))
	return err
}

// entry takes a file of a layer.
func (o *overlay) entry(header *tar.Header, text io.Reader) error {
	name := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
	base, isGone := strings.CutPrefix(path.Base(name), whiteout)
	if isGone {
		name = path.Join(path.Dir(name), base)
	}
	if !strings.HasPrefix(name, o.root) && !strings.HasPrefix(o.root, name+"/") {
		return nil
	}
	if _, is := o.seen[name]; is && !isGone || o.isHidden(name) {
		return nil
	}
	if err := o.load.take(int64(len(name))); err != nil {
		return err
	}
	o.seen[name] = isGone || header.Typeflag != tar.TypeDir
	if isGone || header.Typeflag != tar.TypeReg || !strings.HasPrefix(name, o.root) || !isRead(name) {
		return nil
	}
	data, err := o.load.readAll(text)
	if err != nil {
		return err
	}
	o.files = append(o.files, catalog.File{Name: strings.TrimPrefix(name, o.root), Data: data})
	return nil
}

// isHidden reports whether a higher layer has something in place of a folder above a name.
func (o *overlay) isHidden(name string) bool {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if o.seen[at] {
			return true
		}
	}
	return false
}

// unpack returns the archive of a layer, which may be compressed by either method, whatever its manifest says.
func unpack(packed io.Reader) (io.ReadCloser, error) {
	from := bufio.NewReader(packed)
	magic, err := from.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return gzip.NewReader(from)
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		unpacked, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return unpacked.IOReadCloser(), nil
	}
	return io.NopCloser(from), nil
}
