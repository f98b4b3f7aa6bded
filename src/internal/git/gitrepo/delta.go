package gitrepo

import (
	"bytes"
	"container/list"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// deltaHead is how many bytes the sizes of a difference have at most.
const deltaHead = 2 * binary.MaxVarintLen64

// deltaSizes keeps the beginning of a difference: the sizes of the object that it differs from and of the result.
type deltaSizes struct{ first []byte }

// Write implements io.Writer.
func (d *deltaSizes) Write(p []byte) (int, error) {
	if missing := deltaHead - len(d.first); missing > 0 {
		d.first = append(d.first, p[:min(missing, len(p))]...)
	}
	return len(p), nil
}

// result returns the size of the result, where neither is larger than allowed.
func (d *deltaSizes) result() (int64, error) {
	from, n := binary.Uvarint(d.first)
	if n <= 0 {
		return 0, malformed("a difference has no size")
	}
	to, m := binary.Uvarint(d.first[n:])
	if m <= 0 {
		return 0, malformed("a difference has no size")
	}
	if from > uint64(maxDelta.Bytes) || to > uint64(maxDelta.Bytes) { //nolint:gosec // the limit is positive
		return 0, maxDelta.Error()
	}
	return int64(to), nil //nolint:gosec // which is within the limit
}

// at returns the index of the object at an offset; -1 for none.
func (p *pack) at(offset int64) int32 {
	i, found := slices.BinarySearchFunc(p.objects, offset, func(o packed, offset int64) int {
		switch {
		case o.offset < offset:
			return -1
		case o.offset > offset:
			return 1
		}
		return 0
	})
	if !found {
		return -1
	}
	return int32(i) //nolint:gosec // at most maxObjects
}

// resolve finds the types and hashes of all objects that are differences. Of those an object differs from, the pack may have some
// after it, where they are named by their hashes.
func (p *pack) resolve() error {
	if len(p.waiting) > 0 {
		p.byHash = make(map[plumbing.Hash]int32)
		for i, o := range p.objects {
			if o.kind != plumbing.InvalidObject {
				p.byHash[o.hash] = int32(i) //nolint:gosec // at most maxObjects
			}
		}
	}
	for range maxDepth + 1 {
		left := 0
		for i := range p.objects {
			o := &p.objects[i]
			if o.kind != plumbing.InvalidObject {
				continue
			}
			if reference, is := p.waiting[int32(i)]; is { //nolint:gosec // at most maxObjects
				if base, found := p.byHash[reference]; found {
					o.base = base
				}
			}
			if o.base < 0 || p.objects[o.base].kind == plumbing.InvalidObject {
				left++
				continue
			}
			if err := p.resolveObject(int32(i)); err != nil { //nolint:gosec // at most maxObjects
				return err
			}
		}
		if left == 0 {
			return nil
		}
	}
	return malformed("an object differs from one that is not there")
}

func (p *pack) resolveObject(i int32) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	o, base := &p.objects[i], &p.objects[p.objects[i].base]
	o.depth, o.chain = base.depth+1, base.chain+o.length
	if o.depth > maxDepth {
		return tooLarge(fmt.Sprintf("the repository stores more than %d differences from differences", maxDepth), "repack it: git repack -adf")
	}
	for _, err := range []error{maxDelta.Check(base.size), maxDelta.Check(o.chain), checkSize(base.kind, o.size)} {
		if err != nil {
			return err
		}
	}
	data, err := p.content(i)
	if err != nil {
		return err
	}
	o.kind, o.hash = base.kind, plumbing.ComputeHash(base.kind, data)
	if p.byHash != nil {
		p.byHash[o.hash] = i
	}
	return nil
}

// content returns an object.
func (p *pack) content(i int32) ([]byte, error) {
	var chain []int64
	for at := i; at >= 0; at = p.objects[at].base {
		chain = append(chain, p.objects[at].offset)
	}
	return p.cache.build(p.scanner, 0, chain, p.unpacked.Take)
}

// maxContents is how many bytes of objects are kept, from which others differ.
const maxContents = 16 << 20

// contents are the objects that were last read.
type contents struct {
	at    map[place]*list.Element
	order list.List // of *content, the last one first
	bytes int
}

// place is where an object is: the number of the pack, and the offset in it.
type place struct {
	pack   int
	offset int64
}

type content struct {
	at   place
	data []byte
}

// build returns an object of a pack, by the offsets of its chain: its own, those of the differences that it is made with, and that of the
// object which these begin with. Of the chain, only one result is in memory at a time, besides those that are kept. Each that is made is
// charged.
func (c *contents) build(from *packfile.Scanner, pack int, chain []int64, charge func(bytes int64) error) ([]byte, error) {
	data, next := []byte(nil), len(chain)
	for i, offset := range chain {
		if data = c.get(place{pack, offset}); data != nil {
			next = i
			break
		}
	}
	for next--; next >= 0; next-- {
		stored, err := stored(from, chain[next])
		if err != nil {
			return nil, err
		}
		if next == len(chain)-1 {
			data = stored
		} else {
			sizes := deltaSizes{stored}
			size, err := sizes.result()
			if err != nil {
				return nil, err
			}
			if err := charge(size); err != nil {
				return nil, err
			}
			if data, err = packfile.PatchDelta(data, stored); err != nil {
				return nil, err
			}
		}
		c.put(place{pack, chain[next]}, data)
	}
	return data, nil
}

// stored returns what a pack has at an offset: an object, or a difference.
func stored(from *packfile.Scanner, offset int64) ([]byte, error) {
	header, err := from.SeekObjectHeader(offset)
	if err != nil {
		return nil, err
	}
	if err := maxDelta.Check(header.Length); err != nil {
		return nil, err
	}
	text := bytes.NewBuffer(make([]byte, 0, header.Length))
	if _, _, err := from.NextObject(text); err != nil {
		return nil, err
	}
	if int64(text.Len()) != header.Length {
		return nil, malformed("an object is shorter than its header says")
	}
	return text.Bytes(), nil
}

func (c *contents) get(at place) []byte {
	e := c.at[at]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*content).data
}

func (c *contents) put(at place, data []byte) {
	if len(data) == 0 || len(data) > maxContents/2 { // a larger one would displace all others
		return
	}
	if c.at == nil {
		c.at = make(map[place]*list.Element)
	}
	c.at[at] = c.order.PushFront(&content{at, data})
	for c.bytes += len(data); c.bytes > maxContents; {
		last := c.order.Remove(c.order.Back()).(*content)
		c.bytes -= len(last.data)
		delete(c.at, last.at)
	}
}
