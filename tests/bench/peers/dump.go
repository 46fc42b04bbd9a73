package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// object has the fields of nodes and pods that a scheduler looks at first.
type object struct {
	Kind     string
	Metadata struct {
		Name, Namespace string
		Labels          map[string]string
	}
	Spec struct {
		NodeName   string
		Containers []struct {
			Resources struct{ Requests map[string]string }
		}
	}
	Status struct {
		Phase       string
		Allocatable map[string]string
	}
}

// readDump decodes those fields of a List, all of it in memory.
func readDump(file string) {
	raw, err := os.ReadFile(file)
	check(err)
	var list struct{ Items []object }
	took := median(func() time.Duration {
		list.Items = nil
		start := time.Now()
		check(json.Unmarshal(raw, &list))
		return time.Since(start)
	})
	nodes, pods, requests := 0, 0, 0
	for _, item := range list.Items {
		if item.Kind == "Node" {
			nodes++
		}
		if item.Kind != "Pod" {
			continue
		}
		pods++
		for _, container := range item.Spec.Containers {
			requests += len(container.Resources.Requests)
		}
	}
	fmt.Printf("encoding/json\t%d\t%d nodes %d pods %d requests\n", took.Nanoseconds(), nodes, pods, requests)
}
