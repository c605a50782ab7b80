package overlay

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGroupMemory(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"memory.max":                                  "max\n",
		"a/memory.max":                                "3000\n",
		"a/b/memory.max":                              "5000\n",
		"memory/memory.limit_in_bytes":                "9223372036854771712\n",
		"memory/docker/x/memory.limit_in_bytes":       "7000\n",
		"broken/memory.max":                           "much\n",
		"memory/docker/x/below/memory.usage_in_bytes": "1\n",
		"memory/docker/x/below/memory.limit_in_bytes": "8000\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const none = ^uint64(0)
	for groups, want := range map[string]uint64{
		"":                                     none,
		"0::/\n":                               none,
		"0::/a\n":                              3000,
		"0::/a/b\n":                            3000,
		"0::/a/c\n":                            3000,
		"0::/broken\n":                         none,
		"0::/../..\n":                          none,
		"no group at all\n":                    none,
		"1:cpu,cpuacct:/a\n":                   none,
		"4:memory:/docker/x\n1:cpu:/a\n0::/\n": 7000,
		"4:memory:/docker/x/below\n":           7000,
		"4:memory:/\n":                         9223372036854771712,
	} {
		if got := groupMemory(root, groups); got != want {
			t.Errorf("%q: %d, want %d", groups, got, want)
		}
	}
}
