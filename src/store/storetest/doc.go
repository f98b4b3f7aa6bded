// Package storetest is the conformance suite of the store.Backend contract: a test here verifies each statement of the contract.
// It is for authors of backends, in this repository and in others.
//
// # To test a backend
//
// Write one test file beside it that says how to open it, and one benchmark:
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, storetest.Config{
//			Open: func(t *testing.T) store.Backend { ... },
//		})
//	}
//
//	func BenchmarkBackend(b *testing.B) {
//		storetest.Benchmarks(b, func(b *testing.B) store.Backend { ... })
//	}
//
// Open returns a new, empty store each time: every subtest has its own, and closes it. The other fields of [Config] enable more
// subtests: Reopen a restart, Join several connections, Expire the end of the history, Advance how long it is kept, Corrupt the repair of indexes. Without them those subtests are skipped.
//
// Run one subject with -run 'TestConformance/write', and a quick round of all with -short. DOVETAIL_BENCH_DOCS sets the number of
// documents of the larger benchmark.
//
// A subtest that a backend cannot pass is excluded by name, with a sentence that says why; that sentence is shown as the reason of
// the skipped subtest. Subtests cover reads, lists, referrers, conditions, writes, integrity under concurrent writers, changes and
// how they resume, every commit in the history, checks, restarts, a comparison with a model (rapid) and of histories with linearizability (porcupine).
//
// # To add a test
//
// Write a function of *env in the file of its subject, and name it in the list of that file; the
// lists are joined in suite.go. Take documents from the env's builders, and say in the failure what
// the contract promises. A test uses the contract only; Capabilities describe the differences
// between backends. It asserts no times.
package storetest
