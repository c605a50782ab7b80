package gc

// Limits of the compiler. The names in comments are the compiler's.
const (
	InlineBudget  = 80                // nodes of what is inlined: inlineMaxBudget in cmd/compile/internal/inline/inl.go
	CallCost      = 57                // nodes that a call counts for: inlineExtraCallCost
	BigNodes      = 5000              // a function of so many gets little inlined into it: inlineBigFunctionNodes
	OnceBudget    = 10 * InlineBudget // of a function literal called in one place: inlineClosureCalledOnceCost
	ClosureBudget = 2 * InlineBudget  // of a function literal known where it is called: inlineCostOK, same file

	// OpenDefers is the number of returns times defers above which no defer is open-coded
	// (buildssa in cmd/compile/internal/ssagen/ssa.go).
	OpenDefers = 15
)
