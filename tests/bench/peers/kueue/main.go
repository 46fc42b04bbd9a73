// Command kueue measures how long Kueue's own scheduler, cache, queue manager and Workload reconciler take to admit the
// Workloads of a List. Every line that it prints is a name, nanoseconds a Workload, those of them that the store took,
// and a digest of the answers, with tabs between them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The fastest of them counts: whatever else the machine does only adds.
const runs = 5

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "kueue:", err)
		os.Exit(1)
	}
}

func readList(file string) []client.Object {
	raw, err := os.ReadFile(file)
	check(err)
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	check(json.Unmarshal(raw, &list))
	var objects []client.Object
	for _, item := range list.Items {
		object, err := decode(item)
		check(err)
		objects = append(objects, object)
	}
	return objects
}

type sample struct{ all, store time.Duration }

func measure(file string) {
	objects := readList(file)
	var samples []sample
	var digest string
	var workloads int
	for range runs {
		c := newCluster(objects)
		runtime.GC()
		start := time.Now()
		c.admitAll()
		samples = append(samples, sample{time.Since(start), c.store.spent})
		digest, workloads = c.digest(), len(c.workloads)
	}
	slices.SortFunc(samples, func(a, b sample) int { return int(a.all - b.all) })
	best := samples[0]
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(workloads) }
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	fmt.Printf("%s\t%.1f\t%.1f\t%s\n", name, each(best.all), each(best.store), digest)
}

func main() {
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
	for _, file := range os.Args[1:] {
		measure(file)
	}
}
