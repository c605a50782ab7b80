package gc

// Limits of the compiler. The names in comments are the compiler's.
const (
	// InlineBudget is the maximum cost of an inlined function, in nodes (inlineMaxBudget in
	// cmd/compile/internal/inline/inl.go, as are the next three).
	InlineBudget = 80

	// BigFunction is the number of nodes of a function that is big (inlineBigFunctionNodes).
	BigFunction = 5000

	// CallCost is the cost of a call that is not inlined, in nodes (inlineExtraCallCost).
	CallCost = 57

	// OnceBudget is the InlineBudget of a function literal that is called at one place
	// (inlineClosureCalledOnceCost).
	OnceBudget = 10 * InlineBudget
)
