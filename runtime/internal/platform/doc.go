// Package platform says what the operating system knows of the process and of the machine: names,
// rights, processor time, load, the wall clock. Each function has a file for each system that
// answers in its own way. None allocates more than it returns, and none keeps anything.
package platform
