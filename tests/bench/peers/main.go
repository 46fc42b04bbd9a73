// Command peers measures public packages of Kubernetes and Go on the inputs of scripts/bench-peers. Every line that it
// prints is a name, nanoseconds and a digest of the answers, with tabs between them.
package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// median runs fn for about a second, three times at least, and gives the median of the times it returns.
func median(fn func() time.Duration) time.Duration {
	var times []time.Duration
	for start := time.Now(); len(times) < 3 || time.Since(start) < time.Second; {
		times = append(times, fn())
	}
	slices.Sort(times)
	return times[len(times)/2]
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: peers alloc|cel|dump FILE...")
		os.Exit(2)
	}
	run := map[string]func(file string){"alloc": allocate, "cel": evaluate, "dump": readDump}[os.Args[1]]
	if run == nil {
		fmt.Fprintln(os.Stderr, "peers: alloc, cel or dump, not", os.Args[1])
		os.Exit(2)
	}
	for _, file := range os.Args[2:] {
		run(file)
	}
}
