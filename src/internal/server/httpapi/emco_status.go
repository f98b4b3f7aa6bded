package httpapi

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/schema"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// EMCO's clients read the status of a deployment in a form of its own: the states that it was in, each with the number of the context
// that the backend had for it, and what the backend reports.

// emcoStatusParameters are those that EMCO's status takes, to choose from what the backend reports.
var emcoStatusParameters = []string{"type", "output", "status", "app", "cluster", "resource", "instance", "apps", "clusters", "resources"}

// emcoStatusOf returns the members that come before the states in the status of a kind, by the names of key elements or paths in
// the data, several elements joined; none for a kind whose status is not of this form.
var emcoStatusOf = map[string][]struct{ member, element, path string }{
	"deploymentIntentGroup": {{"project", "project", ""}, {"compositeApp", "compositeApp", ""}, {"compositeAppVersion", "compositeAppVersion", ""},
		{"compositeProfile", "", "compositeProfile"}, {"name", "deploymentIntentGroup", ""}},
	"logicalCloud": {{"project", "project", ""}, {"name", "logicalCloud", ""}},
	"cluster":      {{"name", "clusterProvider+cluster", ""}},
}

// emcoStatus returns the status of a document as EMCO answers it; nil for a kind of which it does not.
func (p Profile) emcoStatus(kind *schema.Kind, doc *dovetail.Document, charge func(values int) error) (*value.Value, error) {
	members, known := emcoStatusOf[kind.Name]
	if p != ProfileEMCO || !known || kind.Lifecycle == nil {
		return nil, nil
	}
	data, err := value.ParseStored(doc.Data, charge)
	if err != nil {
		return nil, err
	}
	status := value.NewMap()
	if len(doc.Status) > 0 {
		if status, err = value.ParseStored(doc.Status, charge); err != nil {
			return nil, err
		}
	}
	answer := value.NewMap()
	for _, m := range members {
		v := data.At("spec", m.path)
		var named []string
		for _, e := range doc.ID.Key() {
			if slices.Contains(strings.Split(m.element, "+"), e.Name) {
				named = append(named, e.Value)
			}
		}
		if len(named) > 0 {
			v = value.NewString(strings.Join(named, "+"))
		}
		if v != nil {
			answer.Set(m.member, v.Unplaced())
		}
	}
	answer.Set("states", emcoStates(kind, doc, status))
	if deployed := deployedStatus(store.StandingOf(kind, doc)); deployed != "" {
		member := "deployedStatus"
		if kind.Name == "cluster" { // of whose networks it is
			member = "status"
		}
		answer.Set(member, value.NewString(deployed))
	}
	given := value.IndexOf(answer)
	for _, m := range status.Members { // what the worker reports
		if !slices.Contains([]string{store.LifecycleMember, "actions", store.ActionsTotal, "stateInfo"}, m.Name) && given.Get(m.Name) == nil {
			answer.Members = append(answer.Members, value.Member{Name: m.Name, Value: m.Value.Unplaced()})
		}
	}
	if kind.Name == "cluster" && answer.Get("cluster") == nil {
		answer.Set("cluster", value.NewMap())
	}
	return answer, nil
}

// deployedStatus is the word of EMCO for a standing; "" where nothing was deployed yet.
func deployedStatus(at schema.Standing) string {
	words := map[string][3]string{ // done, pending, failed
		"Instantiated":       {"Instantiated", "Instantiating", "InstantiateFailed"},
		"Applied":            {"Instantiated", "Instantiating", "InstantiateFailed"},
		"Updated":            {"Instantiated", "Instantiating", "InstantiateFailed"},
		"Terminated":         {"Terminated", "Terminating", "TerminateFailed"},
		"InstantiateStopped": {"InstantiateStopped", "InstantiateStopped", "InstantiateStopped"},
		"TerminateStopped":   {"TerminateStopped", "TerminateStopped", "TerminateStopped"},
	}[at.State]
	switch {
	case at.Progress.Pending():
		return words[1]
	case at.Progress == schema.Failed:
		return words[2]
	}
	return words[0]
}

// emcoStates lists the states that a document was in: those that were migrated from EMCO, and those since.
func emcoStates(kind *schema.Kind, doc *dovetail.Document, status *value.Value) *value.Value {
	list, context, shown := value.NewList(), "", ""
	add := func(state, instance, at string, revision int64) {
		list.Items = append(list.Items, value.NewMap(value.Member{Name: "state", Value: value.NewString(state)}, value.Member{Name: "instance", Value: value.NewString(instance)},
			value.Member{Name: "time", Value: value.NewString(at)}, value.Member{Name: "revision", Value: value.NewNumber(revision)}))
	}
	if migrated := status.At("stateInfo", "actions"); migrated != nil && len(migrated.Items) > 0 {
		for _, item := range migrated.Items {
			list.Items = append(list.Items, item.Unplaced())
		}
		context, _ = migrated.Items[len(migrated.Items)-1].Get("instance").Str()
		shown, _ = status.At("stateInfo", "statusctxid").Str()
	} else {
		add(kind.Lifecycle.Initial, "", doc.Created.UTC().Format(time.RFC3339Nano), 0)
	}
	actions := status.Get("actions")
	if actions == nil {
		actions = value.NewList()
	}
	contexts := map[int64]string{} // by revisions
	last := int64(0)
	for n, entry := range actions.Items {
		state, _ := entry.Get("state").Str()
		action, _ := entry.Get("action").Str()
		at, _ := entry.Get("at").Str()
		revision := int64(0)
		if r := entry.Get("revision"); r != nil {
			revision, _ = strconv.ParseInt(r.Text, 10, 64)
		}
		switch {
		case state == "" || state == kind.Lifecycle.Initial:
			continue
		case action == "instantiate":
			context = contextNumber(doc.UID, n)
			shown = context
		case (action == "update" || action == "rollback") && kind.Name == "deploymentIntentGroup":
			add("Updated", context, at, last) // the revision before ends
			context = contextNumber(doc.UID, n)
			if to := entry.At("body", "spec", "revision"); action == "rollback" && to != nil {
				back, _ := strconv.ParseInt(to.Text, 10, 64)
				if before, known := contexts[back]; known {
					context = before
				}
			}
		case action == "apply":
			context = contextNumber(doc.UID, n)
			shown = context
		case action == "update":
			context = contextNumber(doc.UID, n)
		case action == "approve":
			add(state, "", at, 0)
			continue
		}
		add(state, context, at, revision)
		contexts[revision], last = context, revision
	}
	return value.NewMap(value.Member{Name: "statusctxid", Value: value.NewString(shown)}, value.Member{Name: "actions", Value: list})
}

// contextNumber is a number as EMCO gives the contexts of a backend.
func contextNumber(uid string, action int) string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(uid + "/" + strconv.Itoa(action))) // never fails
	return strconv.FormatUint(sum.Sum64()>>1, 10)
}
