package report

import (
	"bufio"
	"encoding/json"

	"github.com/markgen/markgen/profile"
)

// jsonPath is a chain of open scopes, in the json format.
type jsonPath struct {
	Path   []string `json:"path"`         // IDs of the markers, outermost first; 0000000000000000 is "other"
	Labels []string `json:"labels"`       // labels of each; "" if it has none
	Go     []int    `json:"go,omitempty"` // indexes of scopes that began a goroutine
	Count  uint64   `json:"count"`

	TotalNS  uint64  `json:"total_ns"`            // recursive scopes count once
	NestedNS uint64  `json:"nested_ns,omitempty"` // time of recursive scopes
	SelfNS   *uint64 `json:"self_ns,omitempty"`   // omitted if self times were not measured

	Alloc        *jsonAlloc             `json:"alloc,omitempty"`
	ProcessAlloc *jsonAlloc             `json:"process_alloc,omitempty"`
	Readings     map[string]jsonReading `json:"readings,omitempty"` // by collector
}

// writeJSONPaths writes a line for each path that has figures.
func writeJSONPaths(w *bufio.Writer, p *profile.Profile) error {
	w.WriteString(",\n\"paths\":[")
	sep := "\n"
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		if n.Count|n.SumNS|n.SelfNS == 0 {
			continue
		}
		line, err := json.Marshal(pathAsJSON(p, i))
		if err != nil {
			return err
		}
		w.WriteString(sep)
		if _, err := w.Write(line); err != nil {
			return err
		}
		sep = ",\n"
	}
	w.WriteString("\n]")
	return nil
}

func pathAsJSON(p *profile.Profile, i int) jsonPath {
	n := &p.Paths.Nodes[i]
	read := profile.Marker{Readings: n.Readings}
	j := jsonPath{
		Count:        n.Count,
		TotalNS:      n.TotalNS(),
		NestedNS:     n.NestedNS,
		Alloc:        jsonAllocated(&read, profile.Alloc),
		ProcessAlloc: jsonAllocated(&read, profile.ProcessAlloc),
		Readings:     jsonReadings(&read),
	}
	for at, k := range p.Paths.Chain(i) {
		n := &p.Paths.Nodes[k]
		j.Path = append(j.Path, n.ID.String())
		j.Labels = append(j.Labels, n.Label)
		if n.Go {
			j.Go = append(j.Go, at)
		}
	}
	if !p.NoSelf {
		j.SelfNS = &n.SelfNS
	}
	return j
}
