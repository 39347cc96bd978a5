// Package heap gives XLA's compiler and its steps memory of their own in glibc's heap.
//
// A step allocates and frees hundreds of megabytes. By default glibc maps each large block from the system and gives it
// back. The system then clears every page again, which can take longer than the computation. So the program keeps this
// memory: package keep sets malloc for that where the program begins, and Reserve and Release hold the compiler off the
// part that steps will use. Without keep, with other C libraries, and with another malloc that is loaded before
// glibc's, they gain nothing.
package heap
