package emcostore_test

import "encoding/json"

// Resources and keys below a deployment intent group, as EMCO's services have them.

// groupKey is the key of a deployment intent group.
type groupKey struct {
	Project   string `json:"project"`
	Composite string `json:"compositeApp"`
	Version   string `json:"compositeAppVersion"`
	Group     string `json:"deploymentIntentGroup"`
}

var group = groupKey{"p", "ca", "v1", "g"}

// groupOf adds a deployment intent group to the first resources.
func groupOf(tree []step) []step {
	return append(tree[:3:3], step{call: "Insert", key: group, tag: "data", data: named("g")})
}

// chainKey is the key of a chain, or of what is below it.
type chainKey struct {
	groupKey
	Chain    string `json:"sfcIntent"`
	Selector string `json:"sfcClientSelector,omitempty"`
	End      string `json:"chainEnd,omitempty"`
}

func (k chainKey) MarshalJSON() ([]byte, error) {
	type plainKey chainKey
	k.Chain = "c"
	return json.Marshal(plainKey(k))
}

type (
	clientSelector struct {
		Metadata metadata     `json:"metadata"`
		Spec     chainEndOnly `json:"spec"`
	}
	chainEndOnly struct {
		ChainEnd string `json:"chainEnd"`
	}
)

func selectorOf(name, end string) clientSelector {
	return clientSelector{metadata{Name: name}, chainEndOnly{end}}
}

func insertEnd(name, end string) step {
	return step{call: "Insert", key: chainKey{groupKey: group, Selector: name}, query: chainEndOnly{end}, tag: "data", data: selectorOf(name, end)}
}

func findEnd(end string, want ...string) step {
	return step{call: "Find", key: chainKey{groupKey: group, End: end}, tag: "data", want: want}
}

// hpaKey is the key of what the service of hardware has, down to where it is filled in.
type hpaKey struct {
	Group    groupKey
	Intent   string
	Consumer string
	Resource string
}

func (k hpaKey) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		groupKey
		Intent   string `json:"hpaIntent"`
		Consumer string `json:"hpaConsumer,omitempty"`
		Resource string `json:"hpaResource,omitempty"`
	}{k.Group, k.Intent, k.Consumer, k.Resource})
}

// hpaResource is what an application needs, in which a pointer reports whether it is there at all.
type (
	hpaResource struct {
		MetaData metadata `json:"metadata,omitempty"`
		Spec     hpaSpec  `json:"spec,omitempty"`
	}
	hpaSpec struct {
		Allocatable *bool   `json:"allocatable,omitempty"`
		Mandatory   bool    `json:"mandatory,omitempty"`
		Weight      int32   `json:"weight,omitempty"`
		Resource    details `json:"resource,omitempty"`
	}
	details struct {
		AllocatableResources
		NonAllocatableResources
	}
	// AllocatableResources and NonAllocatableResources are stored as members of their own.
	AllocatableResources struct {
		Name string `json:"name,omitempty"`
	}
	NonAllocatableResources struct {
		Key   string `json:"key,omitempty"`
		Value string `json:"value,omitempty"`
	}
)

func requirement(allocatable *bool, key string) hpaResource {
	return hpaResource{metadata{Name: "r"}, hpaSpec{Allocatable: allocatable, Resource: details{NonAllocatableResources: NonAllocatableResources{key, "yes"}}}}
}
