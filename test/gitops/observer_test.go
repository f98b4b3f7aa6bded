package gitops

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// line is the way of some clients to a server, which can be cut.
type line struct {
	mutex sync.Mutex
	down  bool
	open  map[net.Conn]bool
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.down {
		_ = connection.Close()                                                             // nothing was sent on it
		return nil, fmt.Errorf("the line to %s is cut: %w", address, syscall.ECONNREFUSED) // as where no server is
	}
	l.open[connection] = true
	return connection, nil
}

func (l *line) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.down = true
	for connection := range l.open {
		_ = connection.Close() // the peer may have closed it
	}
	clear(l.open)
}

func (l *line) restore() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.down = false
}

// observer is a client that checks the events it gets: an object's versions never go back, and there is no event of an object after its
// deletion before it is created again.
type observer struct {
	dynamic.Interface
	mutex  sync.Mutex
	kinds  map[schema.GroupVersionResource]*told
	count  telling
	faults []string
}

// telling is how often what was told.
type telling struct {
	lists   int // begun, streamed ones, too
	streams int // lists that were streamed
	expired int // watches
	events  int
}

func observe(client dynamic.Interface) *observer {
	return &observer{Interface: client, kinds: make(map[schema.GroupVersionResource]*told)}
}

func (o *observer) Resource(resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.kinds[resource] == nil {
		o.kinds[resource] = &told{there: make(map[string]revision), gone: make(map[types.UID]bool)}
	}
	return &observed{o.Interface.Resource(resource), o, resource.Resource, o.kinds[resource]}
}

// told is what a client knows of the objects of a kind.
type told struct {
	there map[string]revision
	gone  map[types.UID]bool
	fresh map[string]revision // that a list in progress has told, nil if there is none
}

type revision struct {
	uid    types.UID
	number uint64
}

func revisionOf(o *unstructured.Unstructured) revision {
	version := o.GetResourceVersion()
	n, _ := strconv.ParseUint(version[strings.LastIndexByte(version, '-')+1:], 10, 64) // 0 if there is none, which is a fault
	return revision{o.GetUID(), n}
}

// observed is a client of one kind.
type observed struct {
	dynamic.NamespaceableResourceInterface
	observer *observer
	plural   string
	told     *told
}

func (o *observed) Namespace(name string) dynamic.ResourceInterface {
	if name == metav1.NamespaceAll {
		return o
	}
	return o.NamespaceableResourceInterface.Namespace(name)
}

func (o *observed) List(ctx context.Context, options metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	list, err := o.NamespaceableResourceInterface.List(ctx, options)
	if err != nil {
		return nil, err
	}
	o.observer.mutex.Lock()
	defer o.observer.mutex.Unlock()
	if options.Continue == "" {
		o.begin()
	}
	for i := range list.Items {
		o.listed(&list.Items[i])
	}
	if list.GetContinue() == "" {
		o.end()
	}
	return list, nil
}

func (o *observed) Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	w, err := o.NamespaceableResourceInterface.Watch(ctx, options)
	o.observer.mutex.Lock()
	defer o.observer.mutex.Unlock()
	if err != nil {
		o.failed(err)
		return nil, err
	}
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		o.observer.count.streams++
		o.begin()
	}
	return watch.Filter(w, func(event watch.Event) (watch.Event, bool) {
		o.observer.mutex.Lock()
		defer o.observer.mutex.Unlock()
		o.event(event)
		return event, true
	}), nil
}

func (o *observed) failed(err error) {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		o.observer.count.expired++
	}
}

func (o *observed) fault(format string, values ...any) {
	o.observer.faults = append(o.observer.faults, o.plural+": "+fmt.Sprintf(format, values...))
}

// begin begins a list.
func (o *observed) begin() {
	o.observer.count.lists++
	o.told.fresh = make(map[string]revision)
}

func (o *observed) listed(item *unstructured.Unstructured) {
	o.seen("list", item)
	o.told.fresh[keyOf(item)] = revisionOf(item)
}

// end ends a list: what it did not tell is gone.
func (o *observed) end() {
	for key, before := range o.told.there {
		if o.told.fresh[key].uid != before.uid {
			o.told.gone[before.uid] = true
		}
	}
	o.told.there, o.told.fresh = o.told.fresh, nil
}

// seen checks an event of an object that is there.
func (o *observed) seen(how string, item *unstructured.Unstructured) {
	now, before := revisionOf(item), o.told.there[keyOf(item)]
	switch {
	case now.uid == "" || now.number == 0:
		o.fault("%s: %s has no version: %v", how, keyOf(item), item)
	case o.told.gone[now.uid]:
		o.fault("%s: %s is at %v, which was deleted", how, keyOf(item), now)
	case now.uid == before.uid && now.number < before.number:
		o.fault("%s: %s is at %v after %v", how, keyOf(item), now, before)
	}
}

func (o *observed) event(event watch.Event) {
	o.observer.count.events++
	item, isObject := event.Object.(*unstructured.Unstructured)
	if event.Type == watch.Error || !isObject {
		o.failed(apierrors.FromObject(event.Object))
		return
	}
	if event.Type == watch.Bookmark {
		if item.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true" {
			o.end()
		}
		return
	}
	if o.told.fresh != nil {
		if event.Type != watch.Added {
			o.fault("%s of %s within what there is", event.Type, keyOf(item))
		}
		o.listed(item)
		return
	}
	how, key, now := string(event.Type), keyOf(item), revisionOf(item)
	before, there := o.told.there[key]
	o.seen(how, item)
	switch {
	case event.Type == watch.Added && there:
		o.fault("%s: %s is there already, at %v, and now at %v", how, key, before, now)
	case event.Type != watch.Added && !there:
		o.fault("%s: %s is not there, now at %v", how, key, now)
	case event.Type != watch.Added && before.uid != now.uid:
		o.fault("%s: %s is another one: %v after %v", how, key, now, before)
	}
	if event.Type == watch.Deleted {
		delete(o.told.there, key)
		o.told.gone[now.uid] = true
		return
	}
	o.told.there[key] = now
}

func keyOf(o *unstructured.Unstructured) string { return o.GetNamespace() + "/" + o.GetName() }

func (o *observer) counts() telling {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.count
}

// found are what contradicts itself.
func (o *observer) found() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return slices.Clone(o.faults)
}

// kindsTold are the plurals of the kinds of which objects are known.
func (o *observer) kindsTold() []string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	plurals := make(map[string]bool)
	for resource, told := range o.kinds {
		if len(told.there)+len(told.gone) > 0 {
			plurals[resource.Resource] = true
		}
	}
	return slices.Sorted(maps.Keys(plurals))
}
