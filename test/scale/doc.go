// Package scale says how far Dovetail on MongoDB goes: what a site of this many documents, processes, writers and watches costs its
// database, what reaches its limit first, and what moves that limit.
//
// Costs are measured on a database by a test of src/store/mongo. A Model adds them up for a Site. A Simulation has
// the same site's processes send the same commands to queues, with a clock of its own and choices drawn from a seed, and is held
// against the model. docs/scale.md has tables of both, which a test makes.
package scale
