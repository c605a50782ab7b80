package gc

// Limits of the compiler. The names in comments are the compiler's.
const (
	InlineBudget  = 80                // maximum cost of an inlined function, in nodes: inlineMaxBudget in cmd/compile/internal/inline/inl.go
	CallCost      = 57                // cost of a call that is not inlined, in nodes: inlineExtraCallCost
	BigNodes      = 5000              // number of nodes from which little is inlined into a function: inlineBigFunctionNodes
	OnceBudget    = 10 * InlineBudget // InlineBudget of a function literal called at one place: inlineClosureCalledOnceCost
	ClosureBudget = 2 * InlineBudget  // InlineBudget of a known function literal: inlineCostOK, same file

	// OpenDefers is the maximum product of returns and defers with which defers are open-coded
	// (buildssa in cmd/compile/internal/ssagen/ssa.go).
	OpenDefers = 15
)
