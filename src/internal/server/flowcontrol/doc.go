// Package flowcontrol shares the capacity of a process between flows, which are the principals that send it requests,
// as API Priority and Fairness does in the API server of Kubernetes: a level has a bounded number of seats, each flow a
// bounded queue of its own, and the next request comes from the flow that was served least (start-time fair queueing).
// The cost of a request is estimated from earlier requests of the same flow and route, and corrected when it is
// done. schedule is the algorithm, without locks and clocks; requests wait at a Level.
package flowcontrol
