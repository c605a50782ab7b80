package report

// run returns the metrics of the run or runs.
func (b *promBuilder) run() []promFamily {
	p := b.p
	cautions := p.Cautions()
	list := []promFamily{
		gauge("run_info", "The run, or the runs added up, that the figures are of.", func(add add) {
			add(promLabels("app", p.App, "clock", p.Clock.Kind, "go", p.Go, "goarch", p.GOARCH, "goos", p.GOOS,
				"run", p.Run, "state", p.State), 1)
		}),
		gauge("runs", "Runs added up.", one(float64(p.Runs))),
		gauge("complete", "1 if every run ended in order and nothing of its data is missing.", truth(p.Complete)),
		gauge("alive", "1 if a process was still running when its data were read.", truth(p.Alive)),
		gauge("elapsed_seconds", "Time from the start of the run to its end or to its last record, of all runs together.",
			one(seconds(p.ElapsedNS))),
		counter("lost_scopes_total", "Scopes that could not be recorded.", one(float64(p.Lost))),
		gauge("warnings", "Number of warnings: see markgen_warning_info.",
			one(float64(len(cautions)))),
		gauge("warning_info", "A warning about the data.", func(add add) {
			for _, text := range cautions {
				add(promLabels("warning", text), 1)
			}
		}),
	}
	if c := p.Cost; c != nil {
		list = append(list,
			gauge("cpu_seconds", "Processor time of the runs that ended in order.", one(seconds(c.CPUNS))),
			gauge("marker_cost_seconds", "What markers cost of that, about.", one(seconds(c.MarkersNS))),
		)
	}
	if !p.Start.IsZero() {
		list = append(list, gauge("start_time_seconds", "Start of the first run since the Unix epoch.", one(seconds(p.Start.UnixNano()))))
	}
	if c := p.Clock; c.Kind != "" {
		list = append(list,
			gauge("clock_hertz", "Rate of the clock.", one(c.Hz)),
			gauge("clock_quantum_seconds", "Smallest step of the clock.", one(seconds(c.QuantumNS))),
			gauge("clock_read_seconds", "What reading the clock costs.", one(seconds(c.ReadNS))),
			gauge("scope_overhead_seconds", "What a scope costs the program.", one(seconds(c.WholeNS))),
			gauge("scope_overhead_inside_seconds",
				"The part of what a scope costs that is within the time it measures, and was taken off.", one(seconds(c.InsideNS))),
		)
	}
	if t := p.Trace; t != nil {
		list = append(list,
			counter("trace_records_total", "Records of the trace that are in the data.", one(float64(t.Records))),
			counter("trace_lost_records_total", "Records of the trace that were lost.", one(float64(t.Lost))),
		)
	}
	return list
}
