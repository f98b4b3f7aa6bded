// Package flowcontrol shares the capacity of a process between flows, which are the principals that send it requests,
// as API Priority and Fairness does in the API server of Kubernetes: a level has a bounded number of seats, each flow a
// bounded queue of its own, and the next request comes from the flow that was served least (start-time fair queueing).
// What a request costs is estimated by what requests of the same flow and route took before, and corrected when it is
// done. schedule is the algorithm, without locks and clocks; Level is what requests wait at.
//
// It imports nothing of Dovetail.
package flowcontrol
