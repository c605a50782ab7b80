// Package cataloguetest generates APIs in any number, with names like those of Go programs. Only
// tests and benchmarks import it.
package cataloguetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

var (
	hosts  = strings.Fields("github.com/ gitlab.com/ go.example.com/ golang.org/x/ gopkg.in/ k8s.example.io/")
	owners = strings.Fields("acme northwind hashgrid opentower bluefin kestrel meridian lattice quarry anvil harbour sextant")
	parts  = strings.Fields("api auth cache cluster codec config crypto database encoding event exec export file filter format graph handler http index internal ingest json kernel ledger loader metrics model network node parser pipeline plugin policy pool proto proxy queue registry render resolver route runtime scheduler schema search server session shard signal snapshot socket source storage stream sync table task template text token trace transport tree types util validate vector version volume watch worker yaml")
	types  = strings.Fields("Account Address Batch Block Buffer Builder Cache Client Cluster Codec Conn Context Controller Cursor Decoder Device Encoder Entry Event Field File Filter Frame Graph Group Handler Header Index Iterator Job Key Lease List Lock Log Manager Map Message Meter Model Node Object Option Order Page Parser Path Peer Pipe Plan Pool Processor Profile Queue Reader Record Registry Request Resolver Response Ring Route Row Rule Scanner Schema Server Session Set Shard Snapshot Socket Source Stack State Store Stream Table Task Template Token Trace Tree Tuple URL Value Vector View Volume Watcher Worker Writer HTTPServer JSONWriter")
	verbs  = strings.Fields("Accept Add Allocate Append Apply Begin Build Cancel Check Clear Clone Close Commit Compare Compress Connect Copy Count Create Decode Delete Dial Do Drain Encode End Equal Evict Exec Expand Fetch Fill Find Flush Format Free Get Grow Handle Hash Insert Join Len List Load Lock Lookup Make Map Marshal Match Merge Move New Next Open Parse Peek Ping Poll Pop Prepare Process Publish Push Put Read Recv Reduce Refresh Register Release Remove Render Replace Reset Resize Resolve Retry Rotate Run Save Scan Seal Seek Select Send Serve Set Shift Sign Skip Sort Split Start Stop String Submit Swap Sync Take Touch Truncate Unlock Unmarshal Update Validate Verify Visit Wait Walk Watch Wrap Write Yield")
	nouns  = strings.Fields("All Async At Bytes Chunk Context Default Deadline Each Entry Error Fast File Frame From Header If In Int Key Keys Last Line Many Missing Name Next None Now Offset One Path Range Raw Rune Size Slice Slow Some State String To Unsafe Until Value Values With Within")
	inner  = strings.Fields("for#1 for#2 if#1.then if#1.else if#2.then switch#1.case#1 switch#1.case#2 select#1.case#1 func#1")
)

// Make returns n APIs in about n/50 packages, with names of about 60 bytes. A few have very many
// calls, most have few. The result depends only on n and seed.
func Make(n int, seed uint64) []fleet.API {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	list := make([]fleet.API, n)
	var path, file, function string
	seen := map[string]bool{}
	for i := range list {
		if i%50 == 0 {
			path = fmt.Sprintf("%s%s/%s%d", pick(hosts), pick(owners), pick(parts), r.IntN(1000))
			for range r.IntN(3) {
				path += "/" + pick(parts)
			}
			clear(seen)
		}
		if i%8 == 0 {
			file = path[strings.LastIndexByte(path, '/')+1:] + fmt.Sprintf("/%s.go", pick(parts))
		}
		kind := "func"
		name := ""
		if i%3 == 2 && function != "" && i%50 != 0 {
			suffix := pick(inner)
			kind = map[byte]string{'f': "loop", 'i': "branch", 's': "branch"}[suffix[0]]
			if suffix == "func#1" {
				kind = "func"
			}
			name = function + ":" + suffix
		} else {
			function = pick(verbs)
			if r.IntN(2) == 0 {
				function += pick(nouns)
			}
			switch r.IntN(4) {
			case 0:
				function = strings.ToLower(function[:1]) + function[1:]
			case 1:
				function = pick(types) + "." + function
			default:
				function = "(*" + pick(types) + pick(types) + ")." + function
			}
			name = function
		}
		for seen[name] {
			name += fmt.Sprint(r.IntN(10))
			if kind == "func" {
				function = name
			}
		}
		seen[name] = true
		count := uint64(math.Exp(min(r.ExpFloat64()*4, 30)))
		mean := math.Exp(4 + 8*r.Float64())
		first := start.Add(time.Duration(i) * 10 * time.Second)
		list[i] = fleet.API{
			ID:      registry.ID(r.Uint64()),
			Name:    path + "." + name,
			Package: path,
			Kind:    kind,
			File:    file,
			Line:    10 + i%50*17,
			First:   first,
			Changed: first.Add(time.Duration(r.IntN(86400)) * time.Second),
			Runs:    1 + count/1000,
			Count:   count,
			TotalNS: profile.Uint128{Lo: uint64(min(float64(count)*mean, 1e18))},
			MeanNS:  mean,
			MaxNS:   uint64(mean * 20),
			Origins: 1 + uint64(r.IntN(12)),
		}
	}
	return list
}
