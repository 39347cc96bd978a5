// Package nn holds the few ordinary parts that every network here has: ELU, batch normalisation, dropout, dense
// layers, weight decay and counter-based random numbers.
//
// GoMLX has its own versions of most of them. These must train alike on XLA and on the pure Go backend, with the same
// numbers. An interrupted run must go on as if it had never stopped. GoMLX's batch normalisation either needs an
// operation that the pure Go backend lacks, or stops the gradient through the batch's mean and variance.
package nn
