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

// rates are how many marker rows each token may still send; of requests without one, each address.
// Requests that bring hardly any rows are work as well: each is as many rows as are taken in a
// millisecond; an origin that is new, which stays for good, as many as in 200. A token that is none
// is as many as in 10, of the address it comes from.
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

const (
	requestTime = time.Millisecond
	failedTime  = 10 * time.Millisecond
	originTime  = 200 * time.Millisecond
)

// rows are those that are taken in a time.
func (a *allowance) rows(d time.Duration) int {
	return min(max(int(float64(a.Limit())*d.Seconds()), 1), a.Burst())
}

// request uses up what a request takes by itself, or is a problem for a sender that has nothing
// left at present: its batches need not even be read.
func (a *allowance) request(now time.Time) error {
	if a.Limit() == rate.Inf {
		return nil
	}
	return a.take(now, a.rows(requestTime))
}

// origin uses up what a new origin takes. It is there already, so the sender may owe it.
func (a *allowance) origin(now time.Time) {
	if a.Limit() != rate.Inf {
		a.ReserveN(now, a.rows(originTime))
	}
}

// failed is the error of a token; one that is none uses up some of what its address may send. The
// address's good tokens are good all the while.
func (r *rates) failed(req *http.Request, now time.Time, err error) error {
	if err == nil || r.limit == rate.Inf || problemOf(err).Status != http.StatusUnauthorized {
		return err
	}
	a := r.of(req, "", now)
	return cmp.Or(a.take(now, a.rows(failedTime)), err)
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
	p := rateLimit.problem("%v rows a second are allowed, and requests, new origins and tokens that are none count as rows; wait, and send it again", float64(a.Limit()))
	p.RetryAfter = max(wait, time.Second)
	return p
}
