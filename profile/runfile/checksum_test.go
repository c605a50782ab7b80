package runfile_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// Checksums match in files of either byte order, and after blocks were inserted in front. If the
// header does not point to them or they are damaged themselves, the file is read without, and a
// warning says so.
func TestSums(t *testing.T) {
	for _, big := range []bool{false, true} {
		run, order := profiletest.Demo(), binary.ByteOrder(binary.LittleEndian)
		if run.Big = big; big {
			order = binary.BigEndian
		}
		file := profiletest.Seal(run.File(), order)
		want := counts(profiletest.Load(t, run.File()))
		pad := make([]byte, layout.BlockAlign)
		order.PutUint64(pad[layout.OffBlockSize:], layout.BlockAlign)
		longer := append(append(append([]byte(nil), file[:layout.HeaderSize]...), pad...), file[layout.HeaderSize:]...)
		order.PutUint64(longer[layout.OffUsed:], uint64(len(longer)))
		lost := append([]byte(nil), file...)
		order.PutUint64(lost[layout.OffSums:], 0)
		wrong := append([]byte(nil), file...)
		wrong[len(wrong)-1]++
		for _, tt := range []struct {
			name string
			file []byte
			want string
		}{
			{"sound", file, ""},
			{"longer", longer, ""},
			{"lost", lost, "checksums of which the header does not tell; they are left out"},
			{"wrong", wrong, "the checksums of the file are damaged: their own is wrong; it is read without"},
		} {
			p := profiletest.Load(t, tt.file)
			if warnings := strings.Join(p.Warnings, "\n"); counts(p) != want || p.Damaged != (tt.want != "") || !strings.Contains(warnings, tt.want) {
				t.Errorf("%s, big-endian %v: damaged %v, %q, %s", tt.name, big, p.Damaged, warnings, counts(p))
			}
		}
	}
}
