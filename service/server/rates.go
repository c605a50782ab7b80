package server

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/markgen/markgen/fleet"
)

// A rates limits the marker rows that each token may send, or each address without a token. To
// limit requests with hardly any rows too, a request counts as the rows of 1 ms, a new origin,
// which is permanent, as those of 200 ms. An invalid token counts as those of 10 ms, for its
// address.
type rates struct {
	limit rate.Limit // rows per second; rate.Inf for no limit
	burst int        // max rows at once

	mu     sync.Mutex
	byName map[string]*allowance
	swept  time.Time
}

// An allowance is the limit of one token or address.
type allowance struct {
	*rate.Limiter
	used time.Time
}

// burstTime is the time for which a sender saves up unused allowance.
const burstTime = 10 * time.Second

func newRates(o Options) *rates {
	if o.Rate < 0 {
		return &rates{limit: rate.Inf}
	}
	return &rates{limit: rate.Limit(o.Rate), burst: max(int(o.Rate*burstTime.Seconds()), o.MaxMarkers), byName: map[string]*allowance{}}
}

// of returns the allowance of a request's sender.
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
	if now.Sub(r.swept) > burstTime { // after that long a sender has its full allowance back, like a new one
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

// address returns an IP address without port. For IPv6 it returns the /64 network, in which a
// machine can choose its addresses.
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

const (
	requestTime = time.Millisecond
	failedTime  = 10 * time.Millisecond
	originTime  = 200 * time.Millisecond
)

// rows returns the number of rows allowed in a time.
func (a *allowance) rows(d time.Duration) int {
	return min(max(int(float64(a.Limit())*d.Seconds()), 1), a.Burst())
}

// request consumes the fixed cost of a request. It returns a problem if the sender has nothing
// left: then its batch need not even be read.
func (a *allowance) request(now time.Time) error {
	if a.Limit() == rate.Inf {
		return nil
	}
	return a.take(now, a.rows(requestTime))
}

// origin consumes the cost of a new origin, which exists already, so the allowance may become
// negative.
func (a *allowance) origin(now time.Time) {
	if a.Limit() != rate.Inf {
		a.ReserveN(now, a.rows(originTime))
	}
}

// failed returns err, the result of checking a token. An invalid token consumes allowance of its
// address; valid tokens from that address are not affected.
func (r *rates) failed(req *http.Request, now time.Time, err error) error {
	if err == nil || r.limit == rate.Inf || problemOf(err).Status != http.StatusUnauthorized {
		return err
	}
	a := r.of(req, "", now)
	return cmp.Or(a.take(now, a.rows(failedTime)), err)
}

// take consumes rows, or returns a problem if there are not enough left.
func (a *allowance) take(now time.Time, rows int) error {
	if a.AllowN(now, rows) {
		return nil
	}
	r := a.ReserveN(now, rows)
	defer r.CancelAt(now)
	return a.refusal(r.DelayFrom(now))
}

func (a *allowance) refusal(wait time.Duration) *fleet.Problem {
	p := rateLimit.problem("%v rows a second are allowed, and requests, new origins and tokens that are none count as rows; wait, and send it again", float64(a.Limit()))
	p.RetryAfter = max(wait, time.Second)
	return p
}
