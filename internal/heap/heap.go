// Package heap makes glibc's malloc keep the memory that XLA's CPU plugin frees, for its next step, in huge pages. A
// program asks for it by importing the package; no other package does.
//
// A step allocates and frees hundreds of megabytes. By default glibc maps each large block from the system and gives it
// back. The system then clears every page again, which can take longer than the computation. With other C libraries,
// and with another malloc that is loaded before glibc's, the package has no effect. docs/performance.md says what it
// costs in memory.
package heap
