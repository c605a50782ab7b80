package rewrite

// A Plan says what is to be inserted into one file that people keep: see package inplace.
type Plan struct {
	Name      string // of the source
	Text      []byte // with LF line ends, to which all offsets refer
	CRLF      bool   // the source's lines end in CRLF
	Sometimes bool   // it is compiled only under a condition
	Condition string // the //go:build line with which another file whose name has the same suffix is compiled when it is, or ""
	Functions []PlannedFunction
}

// A PlannedFunction is a function that has markers or events, or func main of a program.
type PlannedFunction struct {
	Top    int    // offset after the opening brace of its body
	Point  *Point // its own point, or nil
	Main   bool   // it is func main of package main
	Slots  int    // maximum number of timed scopes open at once, its own included
	Events []PlannedEvent
}

// A PlannedEvent is what happens before a token: a statement, a closing brace, or the next case.
type PlannedEvent struct {
	Op    Op
	At    int    // offset of the token; that after the opening brace or colon for the start of a list
	After int    // end of the directive after whose line it goes, At for the start of a list, else 0
	Slot  int    // OpEnter: slot of the scope; OpExit: lowest slot closed
	N     int    // OpExit: number of slots closed
	Point *Point // OpEnter, OpCount, OpPoint
}

// Plans returns the plans of the unit's files, in their order. Call it after Find.
func (u *Unit) Plans() []Plan {
	plans := make([]Plan, len(u.files))
	for i, f := range u.files {
		p := &plans[i]
		*p = Plan{Name: f.Name, Text: f.Text, CRLF: f.returns, Sometimes: f.conditional(), Condition: f.condition()}
		for _, fn := range f.functions {
			main := u.Name == "main" && !f.left && fn.decl != nil && fn.decl.Recv == nil && fn.decl.Name.Name == "main"
			g := PlannedFunction{Top: f.offset(fn.body.Lbrace) + 1, Point: fn.point, Main: main, Slots: fn.slots}
			for _, e := range fn.events {
				if e.op != OpExit || e.n > 0 {
					g.Events = append(g.Events, PlannedEvent{e.op, e.at, e.after, e.slot, e.n, e.point})
				}
			}
			if main || g.Point != nil || len(g.Events) > 0 {
				p.Functions = append(p.Functions, g)
			}
		}
	}
	return plans
}

// NeedsScope reports whether the point needs a variable for its scope.
func (p *Point) NeedsScope() bool { return p.SizeExpr != "" || p.Label != "" }

// SizeStatements returns the statements that give the point's scope, which is in a variable, its
// size and label, none if it has neither. A label is evaluated only while it is recorded.
func (p *Point) SizeStatements(scope, perf string) []string {
	return p.sizeStatements(scope, perf, "", "")
}

// sizeStatements is SizeStatements with what goes before the user's expressions, as in asString.
func (p *Point) sizeStatements(scope, perf, atSize, atLabel string) (list []string) {
	if p.SizeExpr != "" {
		list = append(list, scope+".Size("+asInt(p.SizeExpr, atSize)+")")
	}
	if p.Label != "" {
		list = append(list, "_ = "+scope+".Labels() && "+perf+".Label("+asString(p.Label, atLabel)+")")
	}
	return list
}
