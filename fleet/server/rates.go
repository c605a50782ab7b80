package server

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/markgen/markgen/fleet"
)

// rates are how many marker rows each token may still send; of requests without one, each address.
type rates struct {
	limit rate.Limit // rows a second; rate.Inf: none
	burst int        // rows at once

	mu     sync.Mutex
	byName map[string]*allowance
	swept  time.Time
}

// An allowance is one token's.
type allowance struct {
	*rate.Limiter
	used time.Time
}

// burstTime is for how long a sender may have been silent and then send what it would have been allowed meanwhile.
const burstTime = 10 * time.Second

func newRates(o Options) *rates {
	if o.Rate < 0 {
		return &rates{limit: rate.Inf}
	}
	return &rates{limit: rate.Limit(o.Rate), burst: max(int(o.Rate*burstTime.Seconds()), o.MaxMarkers), byName: map[string]*allowance{}}
}

// of is the allowance of a request's sender.
func (r *rates) of(req *http.Request, token string, now time.Time) *allowance {
	if r.limit == rate.Inf {
		return &allowance{Limiter: rate.NewLimiter(rate.Inf, 0)}
	}
	name := token
	if name == "" {
		name = address(req.RemoteAddr)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.swept) > burstTime { // who has been silent for that long has the whole allowance, as a new one has
		for name, a := range r.byName {
			if now.Sub(a.used) > burstTime+time.Duration(float64(r.burst)/float64(r.limit)*float64(time.Second)) {
				delete(r.byName, name)
			}
		}
		r.swept = now
	}
	a := r.byName[name]
	if a == nil {
		a = &allowance{Limiter: rate.NewLimiter(r.limit, r.burst)}
		r.byName[name] = a
	}
	a.used = now
	return a
}

// address is an IP address without the port; of IPv6 the network, as each machine has as many addresses as it likes there.
func address(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap(); ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// debt is a problem for a sender that has nothing left at present: its batches need not even be read.
func (a *allowance) debt(now time.Time) error {
	if a.Limit() == rate.Inf || a.TokensAt(now) >= 1 {
		return nil
	}
	return a.refusal(time.Duration((1 - a.TokensAt(now)) / float64(a.Limit()) * float64(time.Second)))
}

// take uses up the rows of a batch, or is a problem if there is not that much left.
func (a *allowance) take(now time.Time, rows int) error {
	if a.AllowN(now, rows) {
		return nil
	}
	r := a.ReserveN(now, rows)
	defer r.CancelAt(now)
	return a.refusal(r.DelayFrom(now))
}

func (a *allowance) refusal(wait time.Duration) *fleet.Problem {
	p := rateLimit.problem("%v rows a second are allowed; wait, and send the batch again", float64(a.Limit()))
	p.RetryAfter = max(wait, time.Second)
	return p
}
