package layout

// Names in a spool, a directory in which processes leave their data until markgen push sends them. Each has a file of its
// own there from the first moment on, so that nothing is lost with the process.
const (
	DataExt       = ".markgen" // ends the names of data files, everywhere
	SpoolRun      = "run-"     // begins that of a data file; then come 16 hexadecimal digits and DataExt
	SpoolRefusals = "refusals" // has a byte for each process that did not collect since the spool was full
	SpoolHeld     = "held"     // bytes in the directories below, which markgen push writes there, decimal digits
)
