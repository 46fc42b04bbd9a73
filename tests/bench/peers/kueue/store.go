package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type write struct{ before, after client.Object }

// store takes the place of the API server and the client's cache: tables of objects by type, merge patches applied to
// them as JSON, and a log of writes in place of watches. It measures itself, so that its share can be told.
type store struct {
	client.Client // what is not here ends the program

	lock    sync.Mutex // Kueue writes preemptions from several goroutines
	tables  map[reflect.Type]map[types.NamespacedName]client.Object
	version int
	writes  []write
	spent   time.Duration
}

func keyOf(o client.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
}

func (s *store) enter() func() {
	s.lock.Lock()
	start := time.Now()
	return func() {
		s.spent += time.Since(start)
		s.lock.Unlock()
	}
}

func (s *store) find(kind reflect.Type, key types.NamespacedName) (client.Object, error) {
	if found, ok := s.tables[kind][key]; ok {
		return found, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: kind.Name()}, key.String())
}

func (s *store) put(before, after client.Object) {
	s.version++
	after.SetResourceVersion(strconv.Itoa(s.version))
	kind := reflect.TypeOf(after).Elem()
	if s.tables[kind] == nil {
		s.tables[kind] = map[types.NamespacedName]client.Object{}
	}
	s.tables[kind][keyOf(after)] = after
	s.writes = append(s.writes, write{before, after})
}

func (s *store) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	defer s.enter()()
	found, err := s.find(reflect.TypeOf(into).Elem(), key)
	if err == nil {
		reflect.ValueOf(into).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	}
	return err
}

// List finds nothing: Kueue lists LimitRanges, which no input here has, and what belongs to a queue that is new.
func (s *store) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	defer s.enter()()
	items := reflect.ValueOf(list).Elem().FieldByName("Items")
	if kind := items.Type().Elem(); len(s.tables[kind]) > 0 && kind.Name() != "LocalQueue" {
		return fmt.Errorf("no list of %s here", kind.Name())
	}
	items.SetLen(0)
	return nil
}

func (s *store) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	defer s.enter()()
	created := object.DeepCopyObject().(client.Object)
	created.SetGeneration(1)
	s.put(nil, created)
	return nil
}

func (s *store) patch(object client.Object, patch client.Patch) error {
	if patch.Type() != types.MergePatchType {
		return fmt.Errorf("no %s here", patch.Type())
	}
	data, err := patch.Data(object) // the client's work, as in a cluster
	if err != nil {
		return err
	}
	defer s.enter()()
	kind := reflect.TypeOf(object).Elem()
	before, err := s.find(kind, keyOf(object))
	if err != nil {
		return err
	}
	old, err := json.Marshal(before)
	if err != nil {
		return err
	}
	merged, err := jsonpatch.MergePatch(old, data)
	if err != nil {
		return err
	}
	after := reflect.New(kind).Interface().(client.Object)
	if err := json.Unmarshal(merged, after); err != nil {
		return err
	}
	s.put(before, after)
	reflect.ValueOf(object).Elem().Set(reflect.ValueOf(after.DeepCopyObject()).Elem())
	return nil
}

func (s *store) Patch(_ context.Context, object client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return s.patch(object, patch)
}

type statusWriter struct {
	client.SubResourceWriter
	store *store
}

func (s *store) Status() client.SubResourceWriter { return statusWriter{store: s} }

func (w statusWriter) Patch(_ context.Context, object client.Object, patch client.Patch,
	_ ...client.SubResourcePatchOption) error {
	return w.store.patch(object, patch)
}
