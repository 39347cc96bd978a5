// Package nn holds the few ordinary parts that every network here is made of: ELU, batch normalisation, dropout, dense
// layers, weight decay and counter-based random numbers.
//
// GoMLX has its own of most of them. These exist because they must train alike on XLA and on the pure Go backend
// (GoMLX's batch normalisation either needs an operation the pure Go backend lacks, or stops the gradient through the
// batch's mean and variance), must give the same numbers on both, and must let an interrupted run go on as if it had
// never stopped.
package nn
