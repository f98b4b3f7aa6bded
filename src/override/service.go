package override

import (
	"net/http"

	"github.com/dovetail-store/dovetail/src/dovetail"
	"github.com/dovetail-store/dovetail/src/internal/server/httpapi"
	"github.com/dovetail-store/dovetail/src/override/parameters"
)

// ServiceName is what the service is called where services are chosen.
const ServiceName = "override"

// Paths of the API.
const (
	pathOverride     = "/api/ui-override"
	pathCommon       = pathOverride + "/common"
	pathMove         = pathOverride + "/move"
	pathParamSets    = "/api/paramset"
	pathParamSet     = pathParamSets + "/{id}"
	pathAssociations = pathParamSet + "/associations"
	pathAssociation  = pathAssociations + "/{associationId}"
	pathEffectiveSet = "/api/effective-set"
	pathParameters   = "/api/parameters"
	pathCalculated   = pathEffectiveSet + "/calculated"
	pathImpact       = pathEffectiveSet + "/impact"
)

// onlyCalculated says where the contexts are that have no overrides of their own.
const onlyCalculated = "cleanup and topology follow from the others; read them at " + pathCalculated

// Service returns the HTTP API of parameters.
func (o *Overrides) Service() httpapi.Service {
	var (
		environment = httpapi.Parameter{Name: sayEnvironment, Description: "the environment, as <cluster>/<environment>", Required: true}
		context     = httpapi.Parameter{Name: sayContext, Description: "the context of the parameters", Required: true, Values: []string{"deploy", "deployment", "runtime", "pipeline"},
			Instead: map[string]string{"cleanup": onlyCalculated, contextTopology: onlyCalculated}}
		namespace   = httpapi.Parameter{Name: sayNamespace, Description: "the name of a namespace in the cluster"}
		application = httpapi.Parameter{Name: sayApplication, Description: "the name of an application in the namespace"}
		place       = []httpapi.Parameter{environment, context, namespace, application}
		author      = []httpapi.Parameter{{Name: sayMessage, Description: "the reason for the change"},
			{Name: sayUser, Description: "the name of the author"}, {Name: sayEmail, Description: "the email address of the author"}}
		cascade   = httpapi.Parameter{Name: sayCascade, Description: "true also deletes the associations", Values: []string{"true", "false"}}
		view      = httpapi.Parameter{Name: sayView, Description: "the view of the effective set", Values: parameters.Views()}
		explained = httpapi.Parameter{Name: sayView, Description: "explain returns the origin of each value", Values: []string{string(parameters.ViewExplain)}}
		drafted   = httpapi.Parameter{Name: sayView, Description: "the view of the effective set; default to-be", Values: []string{string(parameters.ViewToBe), string(parameters.ViewExplain)}}
		overlap   = httpapi.Parameter{Name: sayOnOverlap, Description: "what to do with a parameter that several files set",
			Values: []string{string(parameters.OverlapRefused), string(parameters.OverlapLaterWins)}}
		ref = httpapi.SchemaRef
	)
	with := func(more ...httpapi.Parameter) []httpapi.Parameter {
		return append(append([]httpapi.Parameter{}, place...), more...)
	}
	optional := func() []httpapi.Parameter { // of what a body may say, too
		all := with()
		for i := range all {
			all[i].Required = false
		}
		return all
	}
	changes := httpapi.Requires([]string{"siteParamSet", "clusterParamSet", "environmentParamSet", "paramSetAssociation"},
		dovetail.RightCreate, dovetail.RightDelete, dovetail.RightUpdate)
	endpoints := []httpapi.Endpoint{
		{Method: http.MethodGet, Path: pathOverride, Summary: "read the override of an environment, a namespace or an application", Query: place,
			Answer: ref("Override"), Handle: o.handleGetOverride},
		{Method: http.MethodPost, Path: pathOverride, Summary: "create an override", Query: optional(), DryRun: true,
			Needs: changes, Body: ref("OverrideRequest"), Answer: ref("Override"), Code: http.StatusCreated, Handle: o.handlePostOverride},
		{Method: http.MethodPut, Path: pathOverride, Summary: "replace the parameters of an override", Query: optional(), DryRun: true,
			Needs: changes, Body: ref("OverrideRequest"), Answer: ref("Override"), Code: http.StatusOK, Handle: o.handlePutOverride},
		{Method: http.MethodDelete, Path: pathOverride, Summary: "remove an override", Query: with(author...), DryRun: true, Handle: o.handleDeleteOverride},

		{Method: http.MethodGet, Path: pathCommon, Summary: "list the parameters that overrides of several environments set to the same value", Long: true,
			Query:  []httpapi.Parameter{context, {Name: sayMinimum, Description: "the minimum number of environments; default 2"}},
			Answer: httpapi.Schema{"type": "object", "required": []string{"items"}, "properties": httpapi.Schema{"items": httpapi.Schema{"type": "array", "items": ref("CommonParameter")}}}, Handle: o.handleGetCommon},
		{Method: http.MethodPost, Path: pathMove, Summary: "move parameters of overrides of several environments into one ParamSet, in one transaction", DryRun: true, Long: true,
			Needs: changes, Body: ref("MoveRequest"), Answer: ref("Move"), Code: http.StatusOK, Handle: o.handlePostMove},

		{Method: http.MethodPost, Path: pathParamSets, Summary: "create a ParamSet, with associations", DryRun: true,
			Needs: changes, Body: ref("ParamSetRequest"), Answer: ref("ParamSet"), Code: http.StatusCreated, Handle: o.handlePostParamSet},
		{Method: http.MethodGet, Path: pathParamSet, Summary: "read a ParamSet", Answer: ref("ParamSet"), Handle: o.handleGetParamSet},
		{Method: http.MethodPut, Path: pathParamSet, Summary: "replace parameters and applications of a ParamSet", DryRun: true,
			Needs: changes, Body: ref("ParamSetRequest"), Answer: ref("ParamSet"), Code: http.StatusOK, Handle: o.handlePutParamSet},
		{Method: http.MethodDelete, Path: pathParamSet, Summary: "delete a ParamSet", Query: append(author, cascade), DryRun: true, Handle: o.handleDeleteParamSet},

		{Method: http.MethodGet, Path: pathAssociations, Summary: "list the associations of a ParamSet", Answer: httpapi.Schema{"type": "array", "items": ref("ParamSetAssociation")},
			Handle: o.handleGetAssociations},
		{Method: http.MethodPost, Path: pathAssociations, Summary: "associate a ParamSet", DryRun: true,
			Needs: changes, Body: ref("ParamSetAssociationRequest"), Answer: ref("ParamSetAssociation"), Code: http.StatusCreated, Handle: o.handlePostAssociation},
		{Method: http.MethodGet, Path: pathAssociation, Summary: "read an association of a ParamSet", Answer: ref("ParamSetAssociation"), Handle: o.handleGetAssociation},
		{Method: http.MethodDelete, Path: pathAssociation, Summary: "delete an association of a ParamSet", Query: author, DryRun: true, Handle: o.handleDeleteAssociation},

		{Method: http.MethodGet, Path: pathEffectiveSet, Summary: "read an effective set", Query: with(view, overlap), Long: true, Answer: ref("EffectiveSet"), Handle: o.handleGetEffectiveSet},
		{Method: http.MethodPost, Path: pathEffectiveSet, Summary: "preview an effective set with an override that is not stored", Query: with(drafted, overlap), Long: true, ReadOnly: true,
			Needs: httpapi.Requires([]string{kindEffectiveSetPart}, dovetail.RightRead), Body: ref("OverrideDraft"), Answer: ref("EffectiveSet"), Code: http.StatusOK, Handle: o.handlePostEffectiveSet},
		{Method: http.MethodGet, Path: pathParameters, Summary: "merge the ParamSets of a level", Query: with(explained), Long: true, Answer: ref("EffectiveSet"), Handle: o.handleGetParameters},
	}
	if o.options.Repository != nil {
		of := httpapi.Parameter{Name: sayContext, Description: "the part of the set", Required: true, Values: calculatedContexts()}
		session := httpapi.Parameter{Name: saySession, Description: "the value of DEPLOYMENT_SESSION_ID"}
		endpoints = append(endpoints, httpapi.Endpoint{Method: http.MethodGet, Path: pathCalculated, Summary: "calculate an effective set from the documents",
			Query: []httpapi.Parameter{environment, of, session, explained}, Long: true, Answer: ref("CalculatedSet"), Handle: o.handleGetCalculated},
			httpapi.Endpoint{Method: http.MethodPost, Path: pathImpact, Summary: "calculate the effect of an override or a ParamSet that is not stored on the effective sets of all environments",
				Query: []httpapi.Parameter{{Name: sayLimit, Description: "the maximum number of listed differences, problems and findings; default 1000"},
					{Name: sayProgress, Description: "true streams JSON lines with the progress, and finally the impact on all environments, without a time limit", Values: []string{"true", "false"}}},
				Watches: isProgress, Line: ref("ImpactLine"), Long: true, ReadOnly: true,
				Needs: httpapi.Requires([]string{kindEnvironment}, dovetail.RightRead), Body: ref("ImpactRequest"), Answer: ref("EffectiveSetImpact"), Code: http.StatusOK, Handle: o.handlePostImpact})
	}
	for i := range endpoints {
		switch endpoints[i].Path {
		case pathCommon, pathMove, pathEffectiveSet, pathCalculated, pathImpact, pathParameters, pathAssociations:
		default:
			endpoints[i].Versioned, endpoints[i].OwnVersions = true, true
		}
	}
	kinds := []string{"siteParamSet", "clusterParamSet", "environmentParamSet", "paramSetAssociation", "effectiveSetPart"}
	return httpapi.Service{Name: ServiceName, Kinds: kinds, Schemas: schemas(), Endpoints: endpoints}
}
