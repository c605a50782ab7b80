// Package platform returns what the operating system knows of the process and of the machine:
// names, rights, CPU time, load, wall clock. Each function has a file for each system that needs
// its own implementation. None allocates more than its result, and none keeps state.
package platform
