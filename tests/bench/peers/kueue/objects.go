package main

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

func orDefault[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

// decode reads one object and fills in what the API server would.
func decode(raw json.RawMessage) (client.Object, error) {
	var meta metav1.TypeMeta
	if err := json.Unmarshal(raw, &meta); err != nil {
		return nil, err
	}
	kinds := map[string]client.Object{
		"Namespace": &corev1.Namespace{}, "Node": &corev1.Node{}, "Topology": &kueue.Topology{},
		"ResourceFlavor": &kueue.ResourceFlavor{}, "Cohort": &kueue.Cohort{}, "ClusterQueue": &kueue.ClusterQueue{},
		"LocalQueue": &kueue.LocalQueue{}, "Workload": &kueue.Workload{},
	}
	object := kinds[meta.Kind]
	if object == nil {
		return nil, fmt.Errorf("no reader for kind %q", meta.Kind)
	}
	if err := json.Unmarshal(raw, object); err != nil {
		return nil, err
	}
	switch o := object.(type) {
	case *kueue.ClusterQueue:
		orDefault(&o.Spec.QueueingStrategy, kueue.BestEffortFIFO)
		if o.Spec.FlavorFungibility == nil {
			o.Spec.FlavorFungibility = &kueue.FlavorFungibility{}
		}
		orDefault(&o.Spec.FlavorFungibility.WhenCanBorrow, kueue.MayStopSearch)
		orDefault(&o.Spec.FlavorFungibility.WhenCanPreempt, kueue.TryNextFlavor)
		if o.Spec.Preemption == nil {
			o.Spec.Preemption = &kueue.ClusterQueuePreemption{}
		}
		orDefault(&o.Spec.Preemption.ReclaimWithinCohort, kueue.PreemptionPolicyNever)
		orDefault(&o.Spec.Preemption.WithinClusterQueue, kueue.PreemptionPolicyNever)
		if o.Spec.Preemption.BorrowWithinCohort == nil {
			o.Spec.Preemption.BorrowWithinCohort = &kueue.BorrowWithinCohort{}
		}
		orDefault(&o.Spec.Preemption.BorrowWithinCohort.Policy, kueue.BorrowWithinCohortPolicyNever)
		if o.Spec.StopPolicy == nil {
			o.Spec.StopPolicy = ptr.To(kueue.None)
		}
	case *kueue.LocalQueue:
		if o.Spec.StopPolicy == nil {
			o.Spec.StopPolicy = ptr.To(kueue.None)
		}
	case *kueue.Workload:
		if o.Spec.Active == nil {
			o.Spec.Active = ptr.To(true)
		}
	}
	return object, nil
}
