// Package keep makes glibc's malloc keep the memory that XLA's CPU plugin frees, for its next step, in huge pages. A
// program's main package imports it for this effect, and the linter lets nothing else import it: a library changes
// nothing about its process.
//
// It is no function that main calls, because main begins too late: the runtime of Go has started threads before, they
// have heaps of their own by then, and XLA's threads share these. Such a call gained nothing: a step of CIFAR-10's
// network took 855 ms of processor, as without any settings, in place of 660. With other C libraries, and with another
// malloc that is loaded before glibc's, the package has no effect. docs/performance.md says what it costs in memory.
package keep
