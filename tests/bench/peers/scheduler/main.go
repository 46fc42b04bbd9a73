// Command scheduler measures kube-scheduler 1.37.2 in this process, on a fake clientset, with the Pending pods of the
// Lists that scripts/bench-peers writes. Every line that it prints is a name, nanoseconds for all pods and a digest of
// what became of them, with tabs between them.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "scheduler:", err)
		os.Exit(1)
	}
}

func readList(file string) []runtime.Object {
	text, err := os.ReadFile(file)
	check(err)
	var list struct{ Items []json.RawMessage }
	check(json.Unmarshal(text, &list))
	var objects []runtime.Object
	for _, item := range list.Items {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
		check(err)
		objects = append(objects, object)
	}
	return objects
}

// answerWrites takes bindings, and gives every written claim a new version, without which the scheduler's own cache
// would not believe it.
func answerWrites(client *fake.Clientset, bound func(pod string)) {
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		binding, ok := action.(clienttesting.CreateAction).GetObject().(*corev1.Binding)
		if !ok {
			return false, nil, nil
		}
		bound(binding.Name)
		return true, binding, nil
	})
	var lock sync.Mutex
	version := 1000
	client.PrependReactor("update", "resourceclaims", func(action clienttesting.Action) (bool, runtime.Object, error) {
		claim := action.(clienttesting.UpdateAction).GetObject().(*resourcev1.ResourceClaim).DeepCopy()
		lock.Lock()
		defer lock.Unlock()
		version++
		claim.ResourceVersion = strconv.Itoa(version)
		return true, claim, client.Tracker().Update(action.GetResource(), claim, claim.Namespace)
	})
}

// schedule lets the scheduler's own loop run until every pod is bound: the time, and how many pods there were.
func schedule(objects []runtime.Object) (time.Duration, int) {
	pods := 0
	for _, object := range objects {
		if _, ok := object.(*corev1.Pod); ok {
			pods++
		}
	}
	bindings := make(chan string, pods)
	client := fake.NewSimpleClientset(objects...)
	answerWrites(client, func(pod string) { bindings <- pod })
	ctx, cancel := context.WithCancel(context.Background())
	factory := scheduler.NewInformerFactory(client, 0, nil)
	recorder := func(string) events.EventRecorderLogger { return &events.FakeRecorder{} }
	subject, err := scheduler.New(ctx, client, factory, nil, recorder)
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	check(subject.WaitForHandlersSync(ctx))
	bound := map[string]bool{}
	start := time.Now()
	go subject.Run(ctx)
	for range pods {
		select {
		case pod := <-bindings:
			bound[pod] = true
		case <-time.After(time.Minute):
			check(fmt.Errorf("after a minute without a binding %d pods are left", pods-len(bound)))
		}
	}
	took := time.Since(start)
	cancel()
	factory.Shutdown()
	return took, len(bound)
}

func main() {
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	for _, file := range os.Args[1:] {
		best := time.Duration(0)
		digest := ""
		for range 3 {
			took, placed := schedule(readList(file))
			if best == 0 || took < best {
				best = took
			}
			digest = fmt.Sprintf("%d pods", placed)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		fmt.Printf("%s\t%d\t%s\n", name, best.Nanoseconds(), digest)
	}
}
