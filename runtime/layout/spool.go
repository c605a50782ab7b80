package layout

// Names in a spool, a directory for the data files of processes until markgen push sends them. Each
// process has its own file there from its first scope on, so that no data are lost with the
// process.
const (
	DataExt       = ".markgen" // suffix of the names of data files, everywhere
	SpoolRun      = "run-"     // prefix of the name of a data file; 16 hexadecimal digits and DataExt follow
	SpoolRefusals = "refusals" // has a byte for each process that did not collect because the spool was full
	SpoolHeld     = "held"     // total size of the files in subdirectories, decimal digits, written by markgen push
)
