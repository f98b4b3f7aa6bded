package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
)

// Kept records are hash-chained like the digest files of audit logs: one process at a time collects the records that
// are not in a block yet into the next block, which holds their digests and the hash of the block before it. A record
// that is changed, removed or inserted later breaks the chain. If all blocks from there on are forged as well, their
// hashes differ from those that were logged.
const (
	blockKind = "_auditblock"
	blockHome = dovetail.ID(blockKind + "/")
	// headID names the document that holds the last block's number and hash, and what was forgotten.
	blockHeadID = dovetail.ID("_audithead/head")
)

const (
	maxBlock = 1000
	// sealAfter is how old a record must be to be sealed: those of transactions under way may still come before it.
	sealAfter = 2 * time.Second
	// sealBack is how late a record may come and still be sealed. One that comes later was not written by Dovetail,
	// or waited too long: a verification finds it.
	sealBack = 2 * time.Minute
)

// AuditBlock is a link of the chain.
type AuditBlock struct {
	Number   uint64        `json:"number"` // from 1
	At       time.Time     `json:"at"`
	Previous string        `json:"previous"` // hash of the block before it; "" of the first
	Records  []AuditDigest `json:"records"`  // in the order of ids
	Hash     string        `json:"hash"`     // of all that, in hexadecimal digits
}

// AuditDigest names a record and the SHA-256 of its text.
type AuditDigest struct {
	ID     string `json:"id"`
	SHA256 string `json:"sha256"`
}

// hash computes the hash of a block.
func (b *AuditBlock) hash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%d\n%s\n%s\n", b.Number, b.At.UTC().Format(time.RFC3339Nano), b.Previous)
	for _, r := range b.Records {
		fmt.Fprintf(sum, "%s %s\n", r.ID, r.SHA256)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// chainHead is the data of the head.
type chainHead struct {
	Number uint64    `json:"number"`
	Hash   string    `json:"hash"`
	Sealed string    `json:"sealed"` // up to which id records were looked at
	Cut    string    `json:"cut"`    // records with smaller ids, and the blocks of only such, were forgotten
	At     time.Time `json:"at"`
}

func blockID(number uint64) dovetail.ID { return blockHome + dovetail.ID(fmt.Sprintf("%020d", number)) }

func digestOf(doc *dovetail.Document) AuditDigest {
	sum := sha256.Sum256(doc.Data)
	return AuditDigest{ID: string(doc.ID[len(auditPrefix):]), SHA256: hex.EncodeToString(sum[:])}
}

// head reads the head of the chain; a chain that has not begun has the zero head and no document.
func (s *Store) chainHead(ctx context.Context) (chainHead, *dovetail.Document, error) {
	var head chainHead
	docs, err := s.fetch(ctx, []dovetail.ID{blockHeadID})
	if err != nil || docs[0] == nil {
		return head, nil, err
	}
	if err := json.Unmarshal(docs[0].Data, &head); err != nil {
		return head, nil, corruptChain(blockHeadID, err)
	}
	return head, docs[0], nil
}

func corruptChain(id dovetail.ID, err error) error {
	return &dovetail.Error{Code: dovetail.CodeCorrupt, Key: id, Message: "the chain of audit records cannot be read at " + string(id),
		Remedy: "restore a backup, and compare the records since then with the log", Err: err}
}

// Seal adds the records that are not sealed yet to the chain, as one block or several, and returns them. Where fence
// is not nil, nothing is written once it does not hold: CodeConflict with ReasonFenced.
func (s *Store) Seal(ctx context.Context, fence *Condition) ([]AuditBlock, error) {
	var blocks []AuditBlock
	for {
		block, err := s.sealOne(ctx, fence)
		if err != nil || block == nil {
			return blocks, err
		}
		if blocks = append(blocks, *block); len(block.Records) < maxBlock {
			return blocks, nil
		}
	}
}

// sealOne makes the next block, nil when there is nothing to seal.
func (s *Store) sealOne(ctx context.Context, fence *Condition) (*AuditBlock, error) {
	head, doc, err := s.chainHead(ctx)
	if err != nil {
		return nil, err
	}
	from := ""
	if sealed, err := time.Parse(auditFormat, head.Sealed[:min(len(head.Sealed), len(auditFormat))]); err == nil {
		from = sealed.Add(-sealBack).Format(auditFormat)
	}
	from = max(from, head.Cut)
	known, err := s.sealedSince(ctx, head, from)
	if err != nil {
		return nil, err
	}
	now := s.now()
	until := now.Add(-sealAfter).Format(auditFormat)
	block := &AuditBlock{Number: head.Number + 1, At: now, Previous: head.Hash}
	for record, err := range s.backend.List(ctx, Query{Kind: auditKind, After: auditPrefix + dovetail.ID(from)}) {
		if err != nil {
			return nil, err
		}
		digest := digestOf(record)
		if digest.ID > until || len(block.Records) == maxBlock {
			break
		}
		if !known[digest.ID] {
			block.Records = append(block.Records, digest)
		}
	}
	if len(block.Records) == 0 {
		return nil, nil
	}
	block.Hash = block.hash()
	head.Number, head.Hash, head.At = block.Number, block.Hash, now
	head.Sealed = max(head.Sealed, block.Records[len(block.Records)-1].ID)
	return block, s.advance(ctx, head, doc, block, fence)
}

// sealedSince returns the ids of records at or after an id that blocks have already.
func (s *Store) sealedSince(ctx context.Context, head chainHead, from string) (map[string]bool, error) {
	known := make(map[string]bool)
	for number := head.Number; number > 0; number-- {
		block, err := s.block(ctx, number)
		if err != nil {
			return nil, err
		}
		if block == nil || block.At.Format(auditFormat) < from {
			break // its records are all older than it is
		}
		for _, r := range block.Records {
			known[r.ID] = true
		}
	}
	return known, nil
}

// block reads a block, nil when there is none.
func (s *Store) block(ctx context.Context, number uint64) (*AuditBlock, error) {
	docs, err := s.fetch(ctx, []dovetail.ID{blockID(number)})
	if err != nil || docs[0] == nil {
		return nil, err
	}
	return readBlock(docs[0])
}

func readBlock(doc *dovetail.Document) (*AuditBlock, error) {
	b := new(AuditBlock)
	if err := json.Unmarshal(doc.Data, b); err != nil {
		return nil, corruptChain(doc.ID, err)
	}
	return b, nil
}

// advance moves the head, and writes the block, if there is one.
func (s *Store) advance(ctx context.Context, head chainHead, was *dovetail.Document, block *AuditBlock, fence *Condition) error {
	text, err := json.Marshal(head)
	if err != nil {
		return dovetail.AsError(err)
	}
	next := s.internal(blockHeadID, "_audithead", text, s.now())
	txn := Txn{Require: []Condition{{Test: Absent, ID: blockHeadID}}, Puts: []*dovetail.Document{next}}
	if was != nil {
		next.UID, next.Revision, next.Created = was.UID, was.Revision+1, was.Created
		txn.Require[0] = Condition{Test: AtVersion, ID: blockHeadID, Version: was.ETag()}
	}
	if block != nil {
		text, err := json.Marshal(block)
		if err != nil {
			return dovetail.AsError(err)
		}
		txn.Require = append(txn.Require, Condition{Test: Absent, ID: blockID(block.Number)})
		txn.Puts = append(txn.Puts, s.internal(blockID(block.Number), blockKind, text, block.At))
	}
	if fence != nil {
		txn.Require = append(txn.Require, *fence)
	}
	err = s.backend.Commit(ctx, txn)
	return cmp.Or(fenced(failedConditions(err), fence), err)
}

// PurgeAuditRecords deletes the records of the audit before a time, and the blocks that have only such; the chain notes up
// to where. Records that are not sealed yet stay. For the fence see PurgeIdempotencyRecords.
func (s *Store) PurgeAuditRecords(ctx context.Context, before time.Time, fence *Condition) error {
	head, doc, err := s.chainHead(ctx)
	if err != nil {
		return err
	}
	cut := before.UTC().Format(auditFormat)
	if doc != nil && cut > head.Cut {
		head.Cut = cut
		if err := s.advance(ctx, head, doc, nil, fence); err != nil {
			return err
		}
	}
	if err := s.purge(ctx, Query{Kind: auditKind}, before, fence); err != nil {
		return err
	}
	return s.purge(ctx, Query{Kind: blockKind}, before, fence)
}

// AuditVerification is what comes of verifying the chain.
type AuditVerification struct {
	Blocks   int            `json:"blocks"`
	Records  int            `json:"records"`  // that blocks have
	Unsealed int            `json:"unsealed"` // that are too new to be in a block
	Number   uint64         `json:"number"`   // of the last block
	Hash     string         `json:"hash"`     // of the last block
	Findings []AuditFinding `json:"findings"` // the first 100
	Total    int            `json:"total"`    // of findings
}

// AuditFinding is one defect of the chain.
type AuditFinding struct {
	Problem string `json:"problem"`          // see the constants
	Block   uint64 `json:"block,omitempty"`  // number of the block
	Record  string `json:"record,omitempty"` // id of the record
	Message string `json:"message"`
}

// The problems that VerifyRecords finds.
const (
	AuditBlockMissing  = "block-missing"   // numbers are not consecutive, or the last block is not there
	AuditBlockChanged  = "block-changed"   // its hash is not that of what it says, or of the head
	AuditChainBroken   = "chain-broken"    // it does not continue the block before it
	AuditRecordMissing = "record-missing"  // a block has it, the store does not
	AuditRecordChanged = "record-changed"  // it is not what the block has the digest of
	AuditRecordUnknown = "record-unsealed" // it is too old to be in no block
	AuditUnexpected    = "hash-unexpected" // a block does not have the hash that was expected
)

const maxAuditFindings = 100

func (v *AuditVerification) find(problem string, block uint64, record, format string, args ...any) {
	if v.Total++; len(v.Findings) < maxAuditFindings {
		v.Findings = append(v.Findings, AuditFinding{problem, block, record, fmt.Sprintf(format, args...)})
	}
}

// VerifyRecords recomputes the chain from the records that are kept. The principal needs the right to read everything.
// expect holds, by number, hashes of blocks that were recorded elsewhere; blocks that were deleted since are not compared.
func (s *Store) VerifyRecords(ctx context.Context, expect map[uint64]string) (*AuditVerification, error) {
	if err := s.mayEverywhere(ctx, dovetail.RightRead, "verify audit records"); err != nil {
		return nil, err
	}
	head, _, err := s.chainHead(ctx)
	if err != nil {
		return nil, err
	}
	v := &AuditVerification{Number: head.Number, Hash: head.Hash, Findings: []AuditFinding{}}
	sealed := make(map[string]string) // digests, by the ids of records
	var last *AuditBlock
	for doc, err := range s.backend.List(ctx, Query{Kind: blockKind}) {
		if err != nil {
			return nil, err
		}
		block, err := readBlock(doc)
		if err != nil {
			v.find(AuditBlockChanged, 0, "", "%s cannot be read", doc.ID)
			continue
		}
		if block.Number > head.Number {
			continue // came while this runs
		}
		v.check(block, last, expect)
		for _, r := range block.Records {
			sealed[r.ID] = r.SHA256
		}
		v.Blocks, last = v.Blocks+1, block
	}
	switch {
	case last == nil && head.Number > 0 && head.Sealed >= head.Cut, last != nil && last.Number != head.Number:
		v.find(AuditBlockMissing, head.Number, "", "the last block, %d, is missing", head.Number)
	case last != nil && last.Hash != head.Hash:
		v.find(AuditBlockChanged, last.Number, "", "the last block, %d, does not have the hash that the head of the chain has", last.Number)
	}
	for number := range expect {
		if number > head.Number {
			v.find(AuditBlockMissing, number, "", "block %d was expected, but the last one is %d", number, head.Number)
		}
	}
	return v, s.verifyEach(ctx, v, head, sealed)
}

// check compares a block with what it says, and with the one before it.
func (v *AuditVerification) check(block, last *AuditBlock, expect map[uint64]string) {
	if block.Hash != block.hash() {
		v.find(AuditBlockChanged, block.Number, "", "block %d does not say what its hash was made of", block.Number)
	}
	if want, known := expect[block.Number]; known && want != block.Hash {
		v.find(AuditUnexpected, block.Number, "", "block %d has the hash %s, not the expected %s", block.Number, block.Hash, want)
	}
	switch {
	case last == nil:
	case block.Number != last.Number+1:
		v.find(AuditBlockMissing, last.Number+1, "", "block %d is missing", last.Number+1)
	case block.Previous != last.Hash:
		v.find(AuditChainBroken, block.Number, "", "block %d does not continue block %d", block.Number, last.Number)
	}
}

// verifyEach compares the records with the digests that blocks have of them.
func (s *Store) verifyEach(ctx context.Context, v *AuditVerification, head chainHead, sealed map[string]string) error {
	settled := s.now().Add(-sealBack).Format(auditFormat)
	for doc, err := range s.backend.List(ctx, Query{Kind: auditKind}) {
		if err != nil {
			return err
		}
		digest := digestOf(doc)
		want, known := sealed[digest.ID]
		delete(sealed, digest.ID)
		switch {
		case !known && digest.ID < head.Cut:
		case !known && digest.ID < min(head.Sealed, settled):
			v.find(AuditRecordUnknown, 0, digest.ID, "the record %s is in no block, though it should be by its time", digest.ID)
		case !known:
			v.Unsealed++
		case want != digest.SHA256:
			v.find(AuditRecordChanged, 0, digest.ID, "the record %s was changed", digest.ID)
		default:
			v.Records++
		}
	}
	var missing []string
	for id := range sealed {
		if id >= head.Cut {
			missing = append(missing, id)
		}
	}
	slices.Sort(missing)
	for _, id := range missing {
		v.find(AuditRecordMissing, 0, id, "the record %s is missing", id)
	}
	return nil
}
