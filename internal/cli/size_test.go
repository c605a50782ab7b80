package cli

import "testing"

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "131072": 131072, "128K": 128 << 10, "1m": 1 << 20, "2GiB": 2 << 30, "3kib": 3 << 10, "5b": 5, "5B": 5,
	} {
		var s Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "K", "-1", "1.5M", "1T", "1KB", "1iB", "1KiKiB", "B", "99999999999G"} {
		var s Size
		if err := s.Set(text); err == nil {
			t.Errorf("%s: %d", text, s)
		}
	}
}
