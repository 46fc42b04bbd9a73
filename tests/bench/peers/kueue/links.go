package main

import (
	"context"
	_ "unsafe" // for go:linkname

	"sigs.k8s.io/kueue/pkg/scheduler"
	"sigs.k8s.io/kueue/pkg/util/routine"
	"sigs.k8s.io/kueue/pkg/util/wait"
)

// The scheduler gives out only a loop in a goroutine of its own; these are the parts behind it.

//go:linkname runCycle sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).schedule
func runCycle(s *scheduler.Scheduler, ctx context.Context) wait.SpeedSignal

//go:linkname setRoutine sigs.k8s.io/kueue/pkg/scheduler.(*Scheduler).setAdmissionRoutineWrapper
func setRoutine(s *scheduler.Scheduler, wrapper routine.Wrapper)

type atOnce struct{}

func (atOnce) Run(work func()) { work() }

func runAtOnce(s *scheduler.Scheduler) { setRoutine(s, atOnce{}) }
