package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// world is what a List of a case holds.
type world struct {
	nodes   []*v1.Node
	slices  []*resourceapi.ResourceSlice
	classes classes
	held    []*resourceapi.ResourceClaim
	wanted  []*resourceapi.ResourceClaim
}

// classes answers as a lister of DeviceClasses.
type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }
func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no DeviceClass %s", name)
}

func readWorld(file string) world {
	raw, err := os.ReadFile(file)
	check(err)
	var list struct{ Items []json.RawMessage }
	check(json.Unmarshal(raw, &list))
	var w world
	for _, item := range list.Items {
		var kind metav1.TypeMeta
		check(json.Unmarshal(item, &kind))
		switch kind.Kind {
		case "Node":
			w.nodes = append(w.nodes, decoded[v1.Node](item))
		case "ResourceSlice":
			w.slices = append(w.slices, decoded[resourceapi.ResourceSlice](item))
		case "DeviceClass":
			w.classes = append(w.classes, decoded[resourceapi.DeviceClass](item))
		case "ResourceClaim":
			claim := decoded[resourceapi.ResourceClaim](item)
			if claim.Status.Allocation != nil {
				w.held = append(w.held, claim)
			} else {
				w.wanted = append(w.wanted, claim)
			}
		}
	}
	return w
}

func decoded[T any](raw []byte) *T {
	var object T
	check(json.Unmarshal(raw, &object))
	return &object
}

// inUse gathers the devices of allocated claims; the cases have no shares.
func inUse(claims []*resourceapi.ResourceClaim) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range claims {
		for _, result := range claim.Status.Allocation.Devices.Results {
			state.AllocatedDevices.Insert(structured.MakeDeviceID(result.Driver, result.Pool, result.Device))
		}
	}
	return state
}

// defaults are the allocator's features in a scheduler of 1.37.
var defaults = structured.Features{
	AdminAccess: true, ConsumableCapacity: true, DeviceBindingAndStatus: true, DeviceTaints: true,
	FractionalCapacityRange: true, PartitionableDevices: true, PrioritizedList: true,
}

// allocate asks for the devices of the claims that want some on every node, as the scheduler does for one pod: one
// allocator, then one call for each node. It prints the time for each node.
func allocate(file string) {
	w := readWorld(file)
	state := inUse(w.held)
	cache := cel.NewCache(100, cel.Features{EnableConsumableCapacity: true})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	pod := func(ctx context.Context) (fits int, first string, err error) {
		allocator, err := structured.NewAllocator(ctx, defaults, state, w.classes, w.slices, cache)
		if err != nil {
			return 0, "", err
		}
		for _, node := range w.nodes {
			results, err := allocator.Allocate(ctx, node, w.wanted)
			if err != nil {
				return 0, "", err
			}
			if len(results) != len(w.wanted) {
				continue
			}
			fits++
			if first == "" {
				first = node.Name
				for _, result := range results {
					for _, device := range result.Devices.Results {
						first += " " + device.Device
					}
				}
			}
		}
		return fits, first, nil
	}
	fits, first, err := pod(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Printf("%s\t%d\ttimed out\n", name, 10*time.Second)
		return
	}
	check(err)
	took := median(func() time.Duration {
		start := time.Now()
		_, _, err := pod(context.Background())
		check(err)
		return time.Since(start)
	})
	fmt.Printf("%s\t%.1f\t%d %s\n", name, float64(took.Nanoseconds())/float64(len(w.nodes)), fits, first)
}

// evaluate asks every device of a case about the expressions in the file beside it, one a line.
func evaluate(file string) {
	w := readWorld(file)
	raw, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".txt")
	check(err)
	var devices []cel.Device
	for _, slice := range w.slices {
		for _, device := range slice.Spec.Devices {
			devices = append(devices, cel.Device{Driver: slice.Spec.Driver, Attributes: device.Attributes, Capacity: device.Capacity})
		}
	}
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	for i, expression := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		compiled := compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true})
		if compiled.Error != nil {
			check(compiled.Error)
		}
		matches := 0
		took := median(func() time.Duration {
			matches = 0
			start := time.Now()
			for _, device := range devices {
				match, _, err := compiled.DeviceMatches(context.Background(), device)
				check(err)
				if match {
					matches++
				}
			}
			return time.Since(start)
		})
		fmt.Printf("selector-%d\t%.1f\t%d\n", i, float64(took.Nanoseconds())/float64(len(devices)), matches)
	}
}
