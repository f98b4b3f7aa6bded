package override

import (
	"context"
	"io/fs"
	"sync"
	"time"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/inventory"
	"github.com/dovetail-store/dovetail/src/override/parameters"
	"github.com/dovetail-store/dovetail/src/store"
	"github.com/dovetail-store/dovetail/src/value"
)

// Mode says where else an override is written than into its ParamSet.
type Mode string

// The modes; each does what the one before does, too.
const (
	ModeParamSet     Mode = "paramset"      // nowhere: environments must be rebuilt and effective sets generated again
	ModeInstance     Mode = "instance"      // into the parameters of namespaces and applications
	ModeEffectiveSet Mode = "effective-set" // into the generated effective set, so that it counts at once
)

// Modes are all of them.
func Modes() []string {
	return []string{string(ModeParamSet), string(ModeInstance), string(ModeEffectiveSet)}
}

// Options configure Overrides. The zero value is ready to use.
type Options struct {
	Mode Mode // default ModeParamSet
	// Repository makes an instance repository of documents, and returns what of them it cannot hold. Without it no sets are calculated.
	Repository func([]*dovetail.Document) (fs.FS, []*dovetail.Error, error)
	SBOMs      fs.FS // APP/APP-VERSION.sbom.json, which sets are calculated from; nil if there is none
	// Open opens an encrypted value of credentials; nil if there are no keys. What is opened is calculated with, and not shown.
	Open func(token string) (plain string, err error)
	// OpenFile opens the text of a file of credentials that SOPS encrypted, whose members may be in another order; nil if there is none.
	OpenFile func(name string, text []byte) (*value.Value, error)
	// Seal returns what encrypts the values of a document; nil if there is no key for it.
	Seal func(of dovetail.ID) func(plain string) (token string)
	// ImpactTime is how long environments are examined for an impact: those that are left are counted. 0 means 15 seconds.
	ImpactTime time.Duration
	// Now returns the time by which ImpactTime passes; nil means time.Now.
	Now func() time.Time
}

// Overrides are the parameters of all environments. It is safe for concurrent use, by any number of
// processes on the same documents.
type Overrides struct {
	documents Documents
	options   Options
	ids       index

	calculations calculations
	impacts      keptImpacts
	forecasts    forecasts
}

// New returns the parameters that documents hold.
func New(documents Documents, options Options) *Overrides {
	return &Overrides{documents: documents, options: options}
}

// The kinds of documents, which are the last elements of their keys.
const (
	kindCluster              = "cluster"
	kindEnvironment          = "environment"
	kindNamespace            = "deployPostfix"
	kindApplication          = "application"
	kindBGDomain             = "bgDomain"
	kindSiteParamSet         = "siteParamSet"
	kindClusterParamSet      = "clusterParamSet"
	kindEnvironmentParamSet  = "environmentParamSet"
	kindAssociation          = "paramSetAssociation"
	kindEffectiveSetPart     = "effectiveSetPart"
	memberSpec               = "spec"
	memberMetadata           = "metadata"
	memberName               = "name"
	memberParameters         = "parameters"
	memberApplications       = "applications"
	memberGenerated          = "generated"
	memberCloud              = "cloud"
	memberGlobal             = "global"
	memberNamespace          = "namespace"
	memberContext            = "context"
	memberAssociatedObject   = "associatedObject"
	memberOrder              = "order"
	memberDeployParameters   = "deployParameters"
	memberRuntimeParameters  = "technicalConfigurationParameters"
	memberPipelineParameters = "e2eParameters"
)

// paramSetID is the id of the document of a ParamSet.
func paramSetID(l parameters.Location, name string) dovetail.ID {
	switch {
	case l.Cluster == "":
		return dovetail.ID("").Child(kindSiteParamSet, name)
	case l.Name == "":
		return dovetail.ID("").Child(kindCluster, l.Cluster).Child(kindClusterParamSet, name)
	}
	return inventory.Environment(l).ID().Child(kindEnvironmentParamSet, name)
}

// placeOf undoes paramSetID.
func placeOf(id dovetail.ID) (parameters.Location, string) {
	var l parameters.Location
	key := id.Key()
	for _, element := range key[:len(key)-1] {
		if element.Name == kindCluster {
			l.Cluster = element.Value
		} else {
			l.Name = element.Value
		}
	}
	return l, key[len(key)-1].Value
}

// uuidOf is the id by which users know a ParamSet.
func uuidOf(id dovetail.ID) string { return parameters.ParamSetID(placeOf(id)) }

// index finds ParamSets by their uuids. These are made of names, so that what it once knew stays true; it
// does not know whether the ParamSet exists.
type index struct {
	mu    sync.RWMutex
	known map[string]dovetail.ID
}

func (x *index) get(uuid string) (dovetail.ID, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	id, ok := x.known[uuid]
	return id, ok
}

func (x *index) add(ids ...dovetail.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.known == nil {
		x.known = make(map[string]dovetail.ID)
	}
	for _, id := range ids {
		x.known[uuidOf(id)] = id
	}
}

// find returns the id of the ParamSet of a uuid; of one that it does not know it looks through all.
func (o *Overrides) find(ctx context.Context, uuid string) (dovetail.ID, error) {
	if id, ok := o.ids.get(uuid); ok {
		return id, nil
	}
	for _, kind := range []string{kindSiteParamSet, kindClusterParamSet, kindEnvironmentParamSet} {
		page, err := o.documents.List(ctx, store.ListQuery{Kind: kind})
		if err != nil {
			return "", err
		}
		ids := make([]dovetail.ID, len(page.Documents))
		for i, doc := range page.Documents {
			ids[i] = doc.ID
		}
		o.ids.add(ids...)
	}
	if id, ok := o.ids.get(uuid); ok {
		return id, nil
	}
	return "", noParamSet("there is no ParamSet with the id " + uuid)
}

func noParamSet(message string) error {
	return &dovetail.Error{Code: dovetail.CodeNotFound, Reason: ReasonNoParamSet, Message: message, Remedy: "create it first, or correct what you ask for"}
}
