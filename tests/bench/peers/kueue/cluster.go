package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/expectations"
	"sigs.k8s.io/kueue/pkg/util/tas"
	"sigs.k8s.io/kueue/pkg/workload"
)

// cluster is Kueue without its manager: one goroutine that runs a cycle, then hears of its writes, on a clock that goes
// on by a second a cycle.
type cluster struct {
	ctx        context.Context
	store      *store
	clock      *testingclock.FakeClock
	cache      *schdcache.Cache
	queues     *qcache.Manager
	wake       interface{ ProcessRequeues(context.Context) int }
	scheduler  *scheduler.Scheduler
	reconciler *core.WorkloadReconciler
	workloads  []*kueue.Workload
}

// newCluster has everything but the Workloads.
func newCluster(objects []client.Object) *cluster {
	// The end is the same as with server-side apply, which needs owners of fields in the store.
	check(utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{"WorkloadRequestUseMergePatch": true}))
	c := &cluster{
		ctx:   ctrl.LoggerInto(context.Background(), logr.Discard()),
		store: &store{tables: map[reflect.Type]map[types.NamespacedName]client.Object{}},
		clock: testingclock.NewFakeClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	expected := expectations.NewStore("preemption")
	events := record.NewFakeRecorder(0)
	events.Events = nil
	c.cache = schdcache.New(c.store)
	c.queues, c.wake = newQueues(c.store, c.cache, qcache.WithClock(c.clock), qcache.WithPreemptionExpectations(expected))
	c.scheduler = scheduler.New(c.queues, c.cache, c.store, events, scheduler.WithClock(nil, c.clock),
		scheduler.WithPreemptionExpectations(expected))
	runAtOnce(c.scheduler)
	c.reconciler = core.NewWorkloadReconciler(c.store, c.queues, c.cache, events,
		core.WithPreemptionExpectations(expected))
	for _, object := range objects {
		c.add(object)
	}
	c.store.writes, c.store.spent = nil, 0
	return c
}

func newQueues(store client.Client, cache *schdcache.Cache, options ...qcache.Option) (*qcache.Manager,
	interface{ ProcessRequeues(context.Context) int }) {
	return qcache.NewManagerForUnitTestsWithRequeuer(store, cache, options...)
}

func (c *cluster) add(object client.Object) {
	if w, ok := object.(*kueue.Workload); ok {
		c.workloads = append(c.workloads, w)
		return
	}
	check(c.store.Create(c.ctx, object))
	switch o := object.(type) {
	case *corev1.Node:
		c.cache.TASCache().SyncNode(o)
	case *kueue.Topology:
		c.cache.AddOrUpdateTopology(logr.Discard(), o)
	case *kueue.ResourceFlavor:
		c.cache.AddOrUpdateResourceFlavor(logr.Discard(), o)
	case *kueue.Cohort:
		check(c.cache.AddOrUpdateCohort(o))
		c.queues.AddOrUpdateCohort(c.ctx, o)
	case *kueue.ClusterQueue:
		check(c.cache.AddClusterQueue(c.ctx, o))
		check(c.queues.AddClusterQueue(c.ctx, o))
	case *kueue.LocalQueue:
		check(c.cache.AddLocalQueue(o))
		check(c.queues.AddLocalQueue(c.ctx, o))
	}
}

// hear tells the reconciler of all writes, and lets it look at the Workloads.
func (c *cluster) hear() {
	for len(c.store.writes) > 0 {
		writes := c.store.writes
		c.store.writes = nil
		var named []types.NamespacedName
		for _, w := range writes {
			after := w.after.(*kueue.Workload)
			if w.before == nil {
				c.reconciler.Create(event.TypedCreateEvent[*kueue.Workload]{Object: after.DeepCopy()})
			} else {
				c.reconciler.Update(event.TypedUpdateEvent[*kueue.Workload]{
					ObjectOld: w.before.(*kueue.Workload), ObjectNew: after.DeepCopy()})
			}
			named = append(named, keyOf(after))
		}
		for _, key := range named {
			_, err := c.reconciler.Reconcile(c.ctx, ctrl.Request{NamespacedName: key})
			check(err)
		}
	}
}

func (c *cluster) hasHeads() bool {
	for queue := range c.queues.Dump() {
		if c.cache.ClusterQueueActive(queue) {
			return true
		}
	}
	return false
}

// admitAll creates all Workloads and runs cycles until nobody waits in front of a queue.
func (c *cluster) admitAll() {
	for _, w := range c.workloads {
		check(c.store.Create(c.ctx, w))
	}
	c.hear()
	for c.hasHeads() {
		c.clock.Step(time.Second)
		runCycle(c.scheduler, c.ctx)
		c.hear()
		c.wake.ProcessRequeues(c.ctx)
	}
}

func podSetLine(assigned *kueue.PodSetAssignment) string {
	var words []string
	for resource, flavor := range assigned.Flavors {
		usage := assigned.ResourceUsage[resource]
		words = append(words, fmt.Sprintf("%s=%s:%s", resource, flavor, usage.String()))
	}
	slices.Sort(words)
	if assigned.TopologyAssignment != nil {
		for _, domain := range tas.InternalFrom(assigned.TopologyAssignment).Domains {
			words = append(words, fmt.Sprintf("%s*%d", strings.Join(domain.Values, ","), domain.Count))
		}
	}
	return fmt.Sprintf("|%s*%d %s", assigned.Name, *assigned.Count, strings.Join(words, " "))
}

// digest: how many are admitted, and a hash of who got what and why the others wait.
func (c *cluster) digest() string {
	var lines []string
	admitted := 0
	for _, object := range c.store.tables[reflect.TypeFor[kueue.Workload]()] {
		w := object.(*kueue.Workload)
		line := w.Namespace + "/" + w.Name
		if workload.IsAdmitted(w) {
			admitted++
			line += "|" + string(w.Status.Admission.ClusterQueue)
			for i := range w.Status.Admission.PodSetAssignments {
				line += podSetLine(&w.Status.Admission.PodSetAssignments[i])
			}
		} else if reserved := apimeta.FindStatusCondition(w.Status.Conditions, kueue.WorkloadQuotaReserved); reserved != nil {
			line += "|" + reserved.Reason + "|" + reserved.Message
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	hash := fnv.New64a()
	for _, line := range lines {
		fmt.Fprintln(hash, line)
	}
	return fmt.Sprintf("%d admitted %016x", admitted, hash.Sum64())
}
