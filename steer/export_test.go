package steer

import (
	"fmt"

	"github.com/markgen/markgen/runtime/layout"
)

// MonoNS lets tests make a run begin now.
var MonoNS = monoNS

// Words returns the words of the marker with the name.
func (p *Process) Words(name string) (off, index uint32, err error) {
	err = p.use(false, func() error {
		for u, words := range p.words {
			for i, m := range u.Markers {
				if m.Name == name {
					off = words.half(i*layout.MarkerSize + layout.MarkerOff).Load()
					index = words.half(i*layout.MarkerSize + layout.MarkerIndex).Load()
					return nil
				}
			}
		}
		return fmt.Errorf("no marker %s has words", name)
	})
	return off, index, err
}
