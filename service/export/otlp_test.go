package export

import (
	"context"
	"strings"
	"testing"
)

func TestOTLPRefusesURL(t *testing.T) {
	for _, url := range []string{"", "localhost:4318", "ftp://localhost", "http://"} {
		if _, err := OTLP(context.Background(), OTLPOptions{URL: url}); err == nil || !strings.Contains(err.Error(), "no URL of an OTLP receiver") {
			t.Errorf("%q: %v", url, err)
		}
	}
}
