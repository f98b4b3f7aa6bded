// Made by scripts/web from the server's /openapi.json. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the endpoints of this server */
        get: operations["get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the versions of the core group of the Kubernetes API */
        get: operations["getApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/active-resolutions/{activeResolution}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the activeResolution */
                activeResolution: components["parameters"]["path-activeResolution"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** approve the plan of an ActiveResolution of another principal */
        post: operations["postApiActiveResolutionsByActiveResolutionApprove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list change sets */
        get: operations["getApiChangeSets"];
        put?: never;
        /** create a change set */
        post: operations["postApiChangeSets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** read a change set */
        get: operations["getApiChangeSetsByName"];
        put?: never;
        post?: never;
        /** delete a change set */
        delete: operations["deleteApiChangeSetsByName"];
        options?: never;
        head?: never;
        /** change the title and description of a change set */
        patch: operations["patchApiChangeSetsByName"];
        trace?: never;
    };
    "/api/change-sets/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** check whether a change set can be merged */
        get: operations["getApiChangeSetsByNameCheck"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/close": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** close a change set */
        post: operations["postApiChangeSetsByNameClose"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** the changes of a change set */
        get: operations["getApiChangeSetsByNameDiff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/impact": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** the effect of a merge on effective sets, rendered documents and resolutions */
        get: operations["getApiChangeSetsByNameImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** merge a change set as one transaction */
        post: operations["postApiChangeSetsByNameMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** remove the staged changes of a document */
        delete: operations["deleteApiChangeSetsByNameOperations"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/propose": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** propose a change set as a branch of the attached Git repository */
        post: operations["postApiChangeSetsByNamePropose"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/rebase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** bring the base of a change set forward to now */
        post: operations["postApiChangeSetsByNameRebase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** open a closed change set again */
        post: operations["postApiChangeSetsByNameReopen"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** make a change set that undoes a merged one */
        post: operations["postApiChangeSetsByNameRevert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/change-sets/{name}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** approve, reject or comment a change set */
        post: operations["postApiChangeSetsByNameReviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/effective-set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** read an effective set */
        get: operations["getApiEffectiveSet"];
        put?: never;
        /** preview an effective set with an override that is not stored */
        post: operations["postApiEffectiveSet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/effective-set/calculated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** calculate an effective set from the documents */
        get: operations["getApiEffectiveSetCalculated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/effective-set/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** calculate the effect of an override or a ParamSet that is not stored on the effective sets of all environments */
        post: operations["postApiEffectiveSetImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** merge the ParamSets of a level */
        get: operations["getApiParameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/paramset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** create a ParamSet, with associations */
        post: operations["postApiParamset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/paramset/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        /** read a ParamSet */
        get: operations["getApiParamsetById"];
        /** replace parameters and applications of a ParamSet */
        put: operations["putApiParamsetById"];
        post?: never;
        /** delete a ParamSet */
        delete: operations["deleteApiParamsetById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/paramset/{id}/associations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        /** list the associations of a ParamSet */
        get: operations["getApiParamsetByIdAssociations"];
        put?: never;
        /** associate a ParamSet */
        post: operations["postApiParamsetByIdAssociations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/paramset/{id}/associations/{associationId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
                /** @description the associationId */
                associationId: components["parameters"]["path-associationId"];
            };
            cookie?: never;
        };
        /** read an association of a ParamSet */
        get: operations["getApiParamsetByIdAssociationsByAssociationId"];
        put?: never;
        post?: never;
        /** delete an association of a ParamSet */
        delete: operations["deleteApiParamsetByIdAssociationsByAssociationId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** resolve constraints with the stored or with given sources, without storing the result */
        post: operations["postApiResolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sd": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** read a solution descriptor of an environment */
        get: operations["getApiSd"];
        /** create or replace a solution descriptor of an environment */
        put: operations["putApiSd"];
        post?: never;
        /** delete a solution descriptor of an environment */
        delete: operations["deleteApiSd"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sd/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** merge solution descriptors without storing the result */
        post: operations["postApiSdMerge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sd/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** merge solution descriptors into those of an environment */
        post: operations["postApiSdProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        /** read a source with all its packages and versions */
        get: operations["getApiSourcesBySource"];
        /** replace a whole source, in one transaction */
        put: operations["putApiSourcesBySource"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source}/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        get?: never;
        /** replace the packages of a source with a file-based catalog, in one transaction */
        put: operations["putApiSourcesBySourceCatalog"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source}/packages/{package}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
                /** @description the package */
                package: components["parameters"]["path-package"];
            };
            cookie?: never;
        };
        /** read a package of a source with its versions, newest first, and their upgrades */
        get: operations["getApiSourcesBySourcePackagesByPackage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sources/{source}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** refresh a source that follows another one now */
        post: operations["postApiSourcesBySourceRefresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ui-override": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** read the override of an environment, a namespace or an application */
        get: operations["getApiUiOverride"];
        /** replace the parameters of an override */
        put: operations["putApiUiOverride"];
        /** create an override */
        post: operations["postApiUiOverride"];
        /** remove an override */
        delete: operations["deleteApiUiOverride"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ui-override/common": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the parameters that overrides of several environments set to the same value */
        get: operations["getApiUiOverrideCommon"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ui-override/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** move parameters of overrides of several environments into one ParamSet, in one transaction */
        post: operations["postApiUiOverrideMove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the resources of the core group */
        get: operations["getApiV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** replace the documents of several buckets, in one revision */
        put: operations["putApiV10Buckets"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/buckets/{bucket}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the bucket */
                bucket: components["parameters"]["path-bucket"];
            };
            cookie?: never;
        };
        get?: never;
        /** replace the documents of a bucket */
        put: operations["putApiV10BucketsByBucketDocuments"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/failed-validations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the failed validations of the newest revision, at most 100, with the messages of their reports */
        get: operations["getApiV10FailedValidations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** check whether this API is available */
        get: operations["getApiV10Health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list revisions */
        get: operations["getApiV10Revisions"];
        put?: never;
        post?: never;
        /** delete all revisions and all documents */
        delete: operations["deleteApiV10Revisions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** read a revision */
        get: operations["getApiV10RevisionsByRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/deepdiff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the other */
                other: components["parameters"]["path-other"];
            };
            cookie?: never;
        };
        /** compare the rendered documents of two revisions */
        get: operations["getApiV10RevisionsByRevisionDeepdiffByOther"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the other */
                other: components["parameters"]["path-other"];
            };
            cookie?: never;
        };
        /** compare the buckets of two revisions */
        get: operations["getApiV10RevisionsByRevisionDiffByOther"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** list the documents of a revision, as they were submitted */
        get: operations["getApiV10RevisionsByRevisionDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/origins": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** the sources of the rendered documents of a revision, and the origin of their values */
        get: operations["getApiV10RevisionsByRevisionOrigins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/rendered-documents": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** list the rendered documents of a revision */
        get: operations["getApiV10RevisionsByRevisionRenderedDocuments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** list the tags of a revision */
        get: operations["getApiV10RevisionsByRevisionTags"];
        put?: never;
        post?: never;
        /** remove all tags of a revision */
        delete: operations["deleteApiV10RevisionsByRevisionTags"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/tags/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the tag */
                tag: components["parameters"]["path-tag"];
            };
            cookie?: never;
        };
        /** read a tag of a revision */
        get: operations["getApiV10RevisionsByRevisionTagsByTag"];
        put?: never;
        /** tag a revision */
        post: operations["postApiV10RevisionsByRevisionTagsByTag"];
        /** remove a tag of a revision */
        delete: operations["deleteApiV10RevisionsByRevisionTagsByTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/validations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** list the validations of a revision */
        get: operations["getApiV10RevisionsByRevisionValidations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/validations/detail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        /** list the reports of all validations of a revision, at most 100 per page (use offset for the next ones); count is the total number */
        get: operations["getApiV10RevisionsByRevisionValidationsDetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/validations/{validation}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the validation */
                validation: components["parameters"]["path-validation"];
            };
            cookie?: never;
        };
        /** list the reports of a validation of a revision */
        get: operations["getApiV10RevisionsByRevisionValidationsByValidation"];
        put?: never;
        /** add a report of a validation to a revision */
        post: operations["postApiV10RevisionsByRevisionValidationsByValidation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/revisions/{revision}/validations/{validation}/entries/{entry}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the validation */
                validation: components["parameters"]["path-validation"];
                /** @description the entry */
                entry: components["parameters"]["path-entry"];
            };
            cookie?: never;
        };
        /** read a report of a validation of a revision */
        get: operations["getApiV10RevisionsByRevisionValidationsByValidationEntriesByEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1.0/rollback/{revision}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** create a revision with the documents of an earlier one */
        post: operations["postApiV10RollbackByRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the documents that can have children, as namespaces */
        get: operations["getApiV1Namespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/namespaces/{namespace}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
            };
            cookie?: never;
        };
        /** read the namespace of a document */
        get: operations["getApiV1NamespacesByNamespace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the groups of the Kubernetes API */
        get: operations["getApis"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the kinds as CustomResourceDefinitions */
        get: operations["getApisApiextensionsK8sIoV1Customresourcedefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** read a kind as a CustomResourceDefinition */
        get: operations["getApisApiextensionsK8sIoV1CustomresourcedefinitionsByName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** check whether the caller may do something */
        post: operations["postApisAuthorizationK8sIoV1Selfsubjectaccessreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** list everything that the caller may do in a namespace */
        post: operations["postApisAuthorizationK8sIoV1Selfsubjectrulesreviews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/{group}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
            };
            cookie?: never;
        };
        /** one group */
        get: operations["getApisByGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/{group}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
            };
            cookie?: never;
        };
        /** the resources of a group */
        get: operations["getApisByGroupByVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/{group}/{version}/namespaces/{namespace}/{resource}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        /** list or watch objects of the Kubernetes API */
        get: operations["getApisByGroupByVersionNamespacesByNamespaceByResource"];
        put?: never;
        /** create an object */
        post: operations["postApisByGroupByVersionNamespacesByNamespaceByResource"];
        /** delete the objects that match selectors */
        delete: operations["deleteApisByGroupByVersionNamespacesByNamespaceByResource"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/{group}/{version}/namespaces/{namespace}/{resource}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** read an object of the Kubernetes API */
        get: operations["getApisByGroupByVersionNamespacesByNamespaceByResourceByName"];
        /** replace an object */
        put: operations["putApisByGroupByVersionNamespacesByNamespaceByResourceByName"];
        post?: never;
        /** delete an object */
        delete: operations["deleteApisByGroupByVersionNamespacesByNamespaceByResourceByName"];
        options?: never;
        head?: never;
        /** change parts of an object */
        patch: operations["patchApisByGroupByVersionNamespacesByNamespaceByResourceByName"];
        trace?: never;
    };
    "/apis/{group}/{version}/{resource}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        /** list or watch objects of the Kubernetes API */
        get: operations["getApisByGroupByVersionByResource"];
        put?: never;
        /** create an object */
        post: operations["postApisByGroupByVersionByResource"];
        /** delete the objects that match selectors */
        delete: operations["deleteApisByGroupByVersionByResource"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apis/{group}/{version}/{resource}/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** read an object of the Kubernetes API */
        get: operations["getApisByGroupByVersionByResourceByName"];
        /** replace an object */
        put: operations["putApisByGroupByVersionByResourceByName"];
        post?: never;
        /** delete an object */
        delete: operations["deleteApisByGroupByVersionByResourceByName"];
        options?: never;
        head?: never;
        /** change parts of an object */
        patch: operations["patchApisByGroupByVersionByResourceByName"];
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** check whether the process is alive */
        get: operations["getLivez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** metrics in Prometheus format */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** this OpenAPI description */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/v2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the description of all groups, as OpenAPI of version 2 */
        get: operations["getOpenapiV2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/v3": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the paths of the descriptions of the groups */
        get: operations["getOpenapiV3"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi/v3/apis/{group}/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
            };
            cookie?: never;
        };
        /** the description of a group */
        get: operations["getOpenapiV3ApisByGroupByVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** check whether the server is ready, with the result of each check */
        get: operations["getReadyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the endpoints of this server */
        get: operations["get2"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the principal of the caller, its rights, and the users and groups that have a right */
        get: operations["getAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list audit records, if the server stores them */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** verify that no stored audit record was changed, removed or inserted */
        get: operations["getAuditVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/authors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the last author of each of the given documents */
        get: operations["getAuthors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** stream a backup: all documents of one position, with the ref-schema */
        get: operations["getBackup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** execute several writes in one transaction */
        post: operations["postBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the number of documents of each kind */
        get: operations["getCounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list all documents, of all kinds */
        get: operations["getDocuments"];
        put?: never;
        /** import exported documents */
        post: operations["postDocuments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/encryption/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** begin or continue a rotation of the data keys of sensitive kinds */
        post: operations["postEncryptionRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** check whether the process is alive, for older clients */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/idempotency-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the key */
                key: components["parameters"]["path-key"];
            };
            cookie?: never;
        };
        /** the outcome of the caller's transaction with an idempotency key; 404 as long as none is committed */
        get: operations["getIdempotencyKeysByKey"];
        put?: never;
        post?: never;
        /** ensure that the caller's transaction with an idempotency key is not committed later, and return its outcome */
        delete: operations["deleteIdempotencyKeysByKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** give a document and its descendants another id, and rewrite the references to them */
        post: operations["postRename"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** restore the data and files of an earlier version of a document */
        post: operations["postRollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the ref-schema in force, compiled */
        get: operations["getSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/schema/impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** the effect of a new ref-schema on the stored documents */
        post: operations["postSchemaImpact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/schema/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** change the stored documents by the steps of a migration, and put another ref-schema in force, in one transaction */
        post: operations["postSchemaMigrate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/schema/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the ref-schemas that are or were in force: since when, by whom, and what changed */
        get: operations["getSchemaVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/schema/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the kind */
                kind: components["parameters"]["path-kind"];
            };
            cookie?: never;
        };
        /** one kind of the ref-schema */
        get: operations["getSchemaByKind"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/scrub": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** findings of the last scrub that still apply */
        get: operations["getScrub"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** search documents by name, best matches first, for search as you type */
        get: operations["getSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the sessions of the caller (uses of tokens and certificates), or of all principals if the caller may read everything */
        get: operations["getSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the session */
                session: components["parameters"]["path-session"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** end a session: refuse its token or certificate, and close its streams */
        delete: operations["deleteSessionsBySession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the processes that serve the store: their leases, limits and load */
        get: operations["getSystem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list transactions, newest first, with time, author and message */
        get: operations["getTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/transactions/{position}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the position */
                position: components["parameters"]["path-position"];
            };
            cookie?: never;
        };
        /** one transaction */
        get: operations["getTransactionsByPosition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/transactions/{position}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the position */
                position: components["parameters"]["path-position"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** undo a transaction with a new one */
        post: operations["postTransactionsByPositionRevert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** stream all changes */
        get: operations["getWatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the webhook subscriptions and their state */
        get: operations["getWebhooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/webhooks/{name}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        /** list the events that the receiver of a webhook did not accept */
        get: operations["getWebhooksByNameDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/webhooks/{name}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** redeliver dead letters of a webhook */
        post: operations["postWebhooksByNameRedeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/work": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the actions that wait for workers */
        get: operations["getWork"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/work/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** claim an action for a worker, for a limited time */
        post: operations["postWorkClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/work/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** end the claim of a worker with the result of the action */
        post: operations["postWorkFinish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/work/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** extend the claim of a worker */
        post: operations["postWorkRenew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** the version of the Kubernetes API that is implemented */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** list the versions of this API */
        get: operations["getVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        BatchResults: {
            /** @description the number of references that a rename rewrote */
            references?: number;
            results: {
                because?: {
                    of?: string;
                    relation?: string;
                };
                /** @description the resulting document, in dry runs of revert, rollback and rename */
                document?: Record<string, never>;
                /** @enum {string} */
                effect: "created" | "updated" | "unchanged" | "deleted";
                etag?: string;
                id: string;
                index?: number;
                kind: string;
                warnings?: string[];
            }[];
            /** @description whether a cascade also deleted documents that the caller may not read */
            unreadable?: boolean;
        };
        CalculatedFinding: {
            /** @description the file, line and column */
            location?: string;
            message: string;
            reason?: string;
            remedy?: string;
            /** @enum {string} */
            severity: "error" | "warning";
        };
        CalculatedSet: {
            /**
             * @description how the set was made: it is calculated or, if that is not possible, overrides are applied to the generated files, and findings give the reason
             * @enum {string}
             */
            basis: "calculation" | "generated-files";
            /** @description whether the set is complete: no finding is an error */
            complete: boolean;
            /** @enum {string} */
            context: "deployment" | "runtime" | "pipeline" | "cleanup" | "topology";
            environmentId: string;
            files: {
                content: string;
                explained?: components["schemas"]["ParameterExplanation"][];
                path: string;
            }[];
            findings: components["schemas"]["CalculatedFinding"][];
        };
        ChangeSet: {
            author: string;
            /** @description the author and all users who staged operations */
            authors: string[];
            /** @description the position of the store that it is based on */
            base: string;
            closed?: {
                by: string;
                /** @description the commit that merged the branch */
                commit?: string;
                /** @description the position of the transaction of a merge */
                position?: string;
                /** Format: date-time */
                time: string;
            };
            /** Format: date-time */
            created: string;
            description?: string;
            merged?: {
                by: string;
                /** @description the commit that merged the branch */
                commit?: string;
                /** @description the position of the transaction of a merge */
                position?: string;
                /** Format: date-time */
                time: string;
            };
            /** @description the unique name; the last element of the id changeSet/NAME */
            name: string;
            operations?: {
                by: string;
                id?: string;
                kind?: string;
                /** Format: date-time */
                time: string;
                /** @enum {string} */
                verb: "create" | "update" | "delete";
            }[];
            proposal?: {
                branch: string;
                by: string;
                /** @description the commit of the branch; omitted as long as it is not known to be pushed */
                commit?: string;
                /** @description whether the branch has the current operations */
                current: boolean;
                /** @description a commit that merged the branch with a different content */
                differs?: string;
                /** @description the branch that the store follows */
                into?: string;
                /** @description the instance repository of the branch, if there are several */
                repository?: string;
                /** Format: date-time */
                time: string;
            };
            /** @description the transaction that it reverts */
            reverts?: string;
            reviews: {
                by: string;
                comment?: string;
                /** @description whether the review refers to the current operations */
                current: boolean;
                /** @enum {string} */
                decision: "approve" | "reject" | "comment";
                /** @description identifies the operations that the review refers to */
                digest: string;
                /** @description the groups of the reviewer at the time */
                groups?: string[];
                /** Format: date-time */
                time: string;
            }[];
            /** @enum {string} */
            state: "open" | "merged" | "closed";
            title: string;
            /** @description the number of operations */
            total: number;
            /** @description the number of operations on documents that the caller may not read */
            unreadable: number;
            /** @description changes with every edit and review */
            version: string;
        };
        ChangeSetCheck: {
            conflicts: {
                base?: unknown;
                id: string;
                message: string;
                now?: unknown;
                path: string;
                staged?: unknown;
            }[];
            /** @description the errors with which the store would refuse the merge */
            errors: {
                allowed?: string[];
                /** @description the version that the request expected, with its etag */
                base?: Record<string, never>;
                blockedBy?: {
                    ids: string[];
                    total: number;
                    unreadable?: boolean;
                };
                code: string;
                column?: number;
                /** @description the current document, with its etag */
                current?: Record<string, never>;
                file?: string;
                id?: string;
                index?: number;
                line?: number;
                message: string;
                missing?: string[];
                path?: string;
                reason?: string;
                remedy?: string;
                state?: string;
            }[];
            mergeable: boolean;
            protections: {
                /** @description how many approvals it requires */
                approvals: number;
                approvedBy: string[];
                /** @description whose approvals count; empty for any user */
                by?: string[];
                message?: string;
                missing: number;
                /** @description the protected ids */
                on: string[];
            }[];
            /** @description reviewers who have rejected the current operations */
            rejectedBy: string[];
            /** @description the changes that are missing in the store, if the branch was merged with a different content */
            remaining?: {
                /** @description relative to the current document */
                changes: {
                    /** @description the file that contains the path, for results that consist of files */
                    file?: string;
                    from?: unknown;
                    /** @enum {string} */
                    op: "add" | "remove" | "replace";
                    /** @description a JSON Pointer; empty for the whole */
                    path: string;
                    /** @description whether the values are credentials, which are not shown */
                    secret?: boolean;
                    /** @description the origin of the value */
                    source?: string;
                    to?: unknown;
                }[];
                id: string;
            }[];
            /** @description the number of operations not checked because the caller may not read their documents */
            unreadable: number;
        };
        ChangeSetDiff: {
            operations: {
                by: string;
                changes: {
                    /** @description the file that contains the path, for results that consist of files */
                    file?: string;
                    from?: unknown;
                    /** @enum {string} */
                    op: "add" | "remove" | "replace";
                    /** @description a JSON Pointer; empty for the whole */
                    path: string;
                    /** @description whether the values are credentials, which are not shown */
                    secret?: boolean;
                    /** @description the origin of the value */
                    source?: string;
                    to?: unknown;
                }[];
                /** @description the names of changed files */
                files: string[];
                id?: string;
                kind?: string;
                /** Format: date-time */
                time: string;
                /** @enum {string} */
                verb: "create" | "update" | "delete";
            }[];
            /** @description the number of operations omitted because the caller may not read their documents */
            unreadable: number;
        };
        ChangeSetImpact: {
            /** @description whether there may be more items */
            incomplete?: boolean;
            items: components["schemas"]["ChangeSetImpactItem"][];
            /** @description the number of items */
            total: number;
            /** @description results that were checked and do not change */
            unchanged: components["schemas"]["ChangeSetImpactItem"][];
            /** @description the number of results that do not change */
            unchangedTotal: number;
            /** @description the number of results that the caller may not read, changed or not */
            unreadable: number;
        };
        ChangeSetImpactItem: {
            /** @description for effective sets: calculation or generated-files */
            basis?: string;
            changes: {
                /** @description the file that contains the path, for results that consist of files */
                file?: string;
                from?: unknown;
                /** @enum {string} */
                op: "add" | "remove" | "replace";
                /** @description a JSON Pointer; empty for the whole */
                path: string;
                /** @description whether the values are credentials, which are not shown */
                secret?: boolean;
                /** @description the origin of the value */
                source?: string;
                to?: unknown;
            }[];
            /** @description the reason why the result can no longer be derived */
            error?: string;
            findings?: {
                /** @description the file, line and column */
                location?: string;
                message: string;
                reason?: string;
                remedy?: string;
                /** @enum {string} */
                severity: "error" | "warning";
            }[];
            id: string;
            /** @description how many more changes there are */
            more?: number;
            /** @description how many more findings there are */
            moreFindings?: number;
            service: string;
            title: string;
        };
        ChangeSetMerge: {
            changeSet: components["schemas"]["ChangeSet"];
            operations: {
                /** @enum {string} */
                effect: "created" | "updated" | "unchanged" | "deleted";
                id: string;
            }[];
            /** @description the position of the transaction */
            position?: string;
            /** @description the number of operations */
            total: number;
        };
        ChangeSetMergeRequest: {
            /** @description the message of the transaction, instead of the header Dovetail-Message */
            message?: string;
        };
        ChangeSetPatch: {
            description?: string;
            title?: string;
        };
        ChangeSetProposeRequest: {
            /** @description the name of the branch; default the current one, or change-set/NAME */
            branch?: string;
        };
        ChangeSetRebaseRequest: {
            resolve?: {
                id: string;
                path: string;
                /** @enum {string} */
                take: "staged" | "now";
            }[];
        };
        ChangeSetRequest: {
            description?: string;
            /** @description the unique name; the last element of the id changeSet/NAME */
            name: string;
            title?: string;
        };
        ChangeSetRevertRequest: {
            description?: string;
            /** @description the unique name; the last element of the id changeSet/NAME */
            name?: string;
            title?: string;
        };
        ChangeSetReviewRequest: {
            comment?: string;
            /** @enum {string} */
            decision: "approve" | "reject" | "comment";
        };
        ChangeSets: {
            continue?: string;
            items: components["schemas"]["ChangeSet"][];
        };
        CommonParameter: {
            applicationName?: string;
            /** @description cloud, or a deploy postfix */
            associatedObject: string;
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            environments: string[];
            /** @description environments whose override of the same object sets another value */
            others: string[];
            parameter: string;
            /** @description the value in all of the environments */
            value: unknown;
        };
        /** @description the envelope of a document */
        Document: {
            content?: Record<string, never>[];
            created?: string;
            data: Record<string, never>;
            etag?: string;
            id: string;
            key?: {
                [key: string]: string;
            };
            keyId?: string;
            kind: string;
            references?: Record<string, never>[];
            revision?: number;
            schema?: string;
            status?: components["schemas"]["Status"];
            uid?: string;
            updated?: string;
        };
        EffectiveSet: {
            applicationName?: string;
            /**
             * @description how the set was made: it is calculated or, if that is not possible, overrides are applied to the generated files, and findings give the reason
             * @enum {string}
             */
            basis?: "calculation" | "generated-files";
            changes?: components["schemas"]["ParameterChange"][];
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            environmentId: string;
            explained?: components["schemas"]["ParameterExplanation"][];
            findings?: components["schemas"]["CalculatedFinding"][];
            /** Format: date-time */
            generated?: string;
            namespaceName?: string;
            /** @description names with values of any type */
            parameters: Record<string, never>;
            /** @description paths of the parameters that come from a credentials file */
            secrets?: string[];
        };
        EffectiveSetDifference: {
            file: string;
            from?: unknown;
            /**
             * @description the level of the origin
             * @enum {string}
             */
            level?: "tenant" | "cloud" | "cloud-application" | "namespace" | "application" | "custom" | "calculated";
            /** @enum {string} */
            op: "add" | "remove" | "replace";
            path: string;
            secret?: boolean;
            /** @description the ParamSet, or the file, line and column */
            source?: string;
            to?: unknown;
        };
        EffectiveSetImpact: {
            /** @enum {string} */
            basis: "calculation";
            /** @description the number of environments that the change may affect */
            calculated: number;
            /** @description the number of environments with differences */
            changed: number;
            differences: number;
            environments: components["schemas"]["EnvironmentImpact"][];
            /** @description the number of environments whose set is incomplete */
            failed: number;
            /** @description the number of differences, problems and findings that are not listed */
            omitted: number;
            /** @description the number of environments that were not calculated, because the time limit was reached */
            unmeasured: number;
        };
        EnvironmentImpact: {
            differences: components["schemas"]["EffectiveSetDifference"][];
            environmentId: string;
            findings: components["schemas"]["CalculatedFinding"][];
            problems: components["schemas"]["ImpactProblem"][];
            /** @description the number of differences, problems and findings */
            total: number;
        };
        File: {
            filename?: string;
            mediaType?: string;
            name?: string;
            size?: number;
        };
        /** @description one of the three; the last line has the impact, or the problem that prevents it */
        ImpactLine: {
            impact?: components["schemas"]["EffectiveSetImpact"];
            problem?: components["schemas"]["Problem"];
            progress?: {
                calculated: number;
                changed: number;
                differences: number;
                /** @description environments to examine */
                environments: number;
                failed: number;
                /** @description environments that have been examined */
                looked: number;
            };
        };
        ImpactProblem: {
            /** @description the file, line and column */
            location?: string;
            message: string;
            reason?: string;
            remedy?: string;
            /** @enum {string} */
            severity: "error" | "warning";
            /** @enum {string} */
            when: "before" | "after" | "both";
        };
        /** @description one of the two, as it would be stored */
        ImpactRequest: {
            override?: components["schemas"]["OverrideRequest"];
            paramSet?: components["schemas"]["ParamSetRequest"];
        };
        /** @description an operation on one document; without data, all other members are its data */
        Manifest: {
            /** @description with the op action, the path of the action */
            action?: string;
            cascade?: boolean;
            content?: {
                data?: string;
                filename?: string;
                mediaType?: string;
                name?: string;
            }[];
            data?: Record<string, never>;
            /** @description the field manager of the write. With the op apply, fields that it applied before and that are no longer in the data are removed, and fields of other managers are kept */
            fieldManager?: string;
            /** @description with the op apply, take over fields that other managers set to another value */
            force?: boolean;
            id?: string;
            ifMatch?: string | string[];
            key?: {
                [key: string]: string;
            };
            kind?: string;
            /**
             * @default put
             * @enum {string}
             */
            op: "put" | "create" | "patch" | "apply" | "delete" | "status" | "action";
        };
        Manifests: {
            items?: components["schemas"]["Manifest"][];
            operations?: components["schemas"]["Manifest"][];
        };
        Move: {
            applied: boolean;
            created: boolean;
            differences: {
                applicationName?: string;
                associatedObject: string;
                environmentId: string;
                from?: unknown;
                /** @description whether the namespace itself sets it, not a ParamSet */
                own?: boolean;
                path: string;
                to?: unknown;
            }[];
            environments: {
                /** @description whether the move associates the ParamSet with the object */
                associated: boolean;
                /** @description whether the override is deleted because it is empty */
                deleted: boolean;
                environmentId: string;
                override: string;
            }[];
            notices?: string[];
            paramSet: components["schemas"]["ParamSet"];
        };
        MoveRequest: {
            applicationName?: string;
            /** @description cloud, or a deploy postfix */
            associatedObject: string;
            commitMessage?: string;
            commitUser?: string;
            commitUserEmail?: string;
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            /**
             * @description whether the move is refused if it would change values; default refuse
             * @enum {string}
             */
            differences?: "refuse" | "accept";
            environments: string[];
            names: string[];
            to: {
                /** @description cloud, or the object of the overrides (default) */
                associatedObject?: string;
                location: string;
                name: string;
            };
        };
        Override: {
            applicationName?: string;
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            environmentId: string;
            id: string;
            /** @enum {string} */
            level: "environment" | "namespace" | "application";
            message?: string;
            namespaceName?: string;
            notices?: string[];
            paramSet: components["schemas"]["ParamSet"];
            /** @description names with values of any type */
            parameters: Record<string, never>;
            version?: string;
        };
        OverrideDraft: {
            /** @enum {string} */
            level: "environment" | "namespace" | "application";
            /** @description names with values of any type */
            parameters: Record<string, never>;
        };
        OverrideRequest: {
            applicationName?: string;
            applications?: {
                appName: string;
                /** @description names with values of any type */
                parameters?: Record<string, never>;
            }[];
            commitMessage?: string;
            commitUser?: string;
            commitUserEmail?: string;
            /** @enum {string} */
            context?: "deploy" | "deployment" | "runtime" | "pipeline";
            environmentId?: string;
            namespaceName?: string;
            /** @description names with values of any type */
            parameters?: Record<string, never>;
        };
        ParamSet: {
            applications: {
                appName: string;
                /** @description names with values of any type */
                parameters?: Record<string, never>;
            }[];
            id: string;
            location: string;
            name: string;
            /** @description names with values of any type */
            parameters: Record<string, never>;
            version?: string;
        };
        ParamSetAssociation: {
            /** @description cloud, or a deploy postfix */
            associatedObject: string;
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            environmentId: string;
            id: string;
            notices?: string[];
            order: number;
            paramSetId: string;
            version?: string;
        };
        ParamSetAssociationRequest: {
            /** @description cloud, or a deploy postfix */
            associatedObject: string;
            commitMessage?: string;
            commitUser?: string;
            commitUserEmail?: string;
            /** @enum {string} */
            context: "deploy" | "deployment" | "runtime" | "pipeline";
            environmentId: string;
            order?: number;
        };
        ParamSetRequest: {
            applications?: {
                appName: string;
                /** @description names with values of any type */
                parameters?: Record<string, never>;
            }[];
            associations?: components["schemas"]["ParamSetAssociationRequest"][];
            commitMessage?: string;
            commitUser?: string;
            commitUserEmail?: string;
            location?: string;
            name?: string;
            /** @description names with values of any type */
            parameters?: Record<string, never>;
        };
        ParameterChange: {
            /** @description the file of a calculated set */
            file?: string;
            origin: components["schemas"]["ParameterSource"];
            path: string;
            previous?: unknown;
            previousPath?: string;
            /** @description whether the parameter was removed */
            removed?: boolean;
            value: unknown;
        };
        ParameterExplanation: {
            chain: components["schemas"]["ParameterSource"][];
            path: string;
            source: components["schemas"]["ParameterSource"];
            value: unknown;
            /** @enum {string} */
            why: "only" | "later" | "override" | "calculated";
        };
        ParameterReference: {
            chain: components["schemas"]["ParameterSource"][];
            macro: string;
        };
        ParameterSource: {
            calculated?: boolean;
            file?: boolean;
            input?: boolean;
            /** @enum {string} */
            level?: "environment" | "tenant" | "cloud" | "cloud-application" | "namespace" | "application" | "custom" | "sbom" | "profile" | "credential" | "calculated";
            location?: string;
            macros?: components["schemas"]["ParameterReference"][];
            name: string;
            order: number;
            override?: boolean;
            path?: string;
            value?: unknown;
            won?: boolean;
        };
        Problem: {
            allowed?: string[];
            /** @description the version that the request expected, with its etag */
            base?: Record<string, never>;
            blockedBy?: {
                ids: string[];
                total: number;
                unreadable?: boolean;
            };
            code: string;
            /** @description the conflicts of a change set */
            conflicts?: {
                base?: unknown;
                id: string;
                message: string;
                now?: unknown;
                path: string;
                staged?: unknown;
            }[];
            /** @description the current document, with its etag */
            current?: Record<string, never>;
            detail: string;
            errors?: {
                allowed?: string[];
                /** @description the version that the request expected, with its etag */
                base?: Record<string, never>;
                blockedBy?: {
                    ids: string[];
                    total: number;
                    unreadable?: boolean;
                };
                code: string;
                column?: number;
                /** @description the current document, with its etag */
                current?: Record<string, never>;
                file?: string;
                id?: string;
                index?: number;
                line?: number;
                message: string;
                missing?: string[];
                path?: string;
                reason?: string;
                remedy?: string;
                state?: string;
            }[];
            id?: string;
            instance?: string;
            missing?: string[];
            reason?: string;
            remedy?: string;
            state?: string;
            status: number;
            title: string;
            /** @description the number of errors, if errors contains only the first */
            total?: number;
            type: string;
        };
        ResolutionAnswer: {
            explanation?: Record<string, never>[];
            inputDigest: string;
            message: string;
            plan?: {
                /** @description null for none */
                from: string | null;
                package: string;
                source?: string;
                /** @description null for none */
                to: string | null;
            }[];
            rollback?: {
                impossible?: string;
                steps?: {
                    /** @description null for none */
                    from: string | null;
                    package: string;
                    source?: string;
                    /** @description null for none */
                    to: string | null;
                }[];
            };
            selections?: string[];
            timedOut?: boolean;
            unsat?: {
                core: number[];
                derivation?: {
                    constraints?: number[];
                    facts?: number[];
                    steps?: number[];
                    text: string;
                    therefore: string;
                }[];
                facts?: {
                    candidates?: string[];
                    package?: string;
                    text?: string;
                }[];
                fixes?: {
                    selections?: string[];
                    without?: number[];
                }[];
                incomplete?: boolean;
                message: string;
                noMatch: {
                    constraint?: number;
                    stage?: string;
                }[];
                obstacle?: string;
                packages?: string[];
            };
        };
        ResolutionApproval: {
            by: string;
            /** @description the digest of the plan */
            plan: string;
            /** Format: date-time */
            time: string;
        };
        ResolutionApprovalRequest: {
            /** @description planDigest in the status */
            plan: string;
        };
        ResolutionCatalog: {
            files: {
                name: string;
                text: string;
            }[];
            priority?: number;
        };
        ResolutionLoaded: {
            created: number;
            deleted: number;
            dryRun?: boolean;
            /** @description for a dry run: the effect on active resolutions */
            impact?: {
                /** @description the first of them, in the order of ids */
                resolutions: {
                    /** @enum {string} */
                    effect: "changes" | "breaks" | "repairs";
                    /** @description why it cannot be resolved, if the effect is breaks */
                    message?: string;
                    resolution: string;
                    selections?: {
                        /** @description version:channel */
                        from: string | null;
                        /** @description source:name */
                        package: string;
                        /** @description version:channel */
                        to: string | null;
                    }[];
                }[];
                total: number;
                /** @description the number of those that were not calculated, because the time limit was reached */
                unknown?: number;
                /** @description the number of ActiveResolutions whose selections the caller may not read */
                unreadable?: number;
            };
            source: string;
            unchanged: number;
            updated: number;
            warnings?: string[];
        };
        ResolutionPackage: {
            defaultChannel?: string;
            deprecated?: boolean;
            moreUpgrades?: number;
            name: string;
            source: string;
            upgrades: {
                /** @enum {string} */
                by: "replaces" | "skips" | "skipRange";
                /** @description a version, which may not exist in the package */
                from: string;
                to: string;
            }[];
            versions: {
                channels?: string[];
                conflicts?: unknown[];
                dependencies?: unknown[];
                deprecated?: boolean;
                /** @description the reason why no resolution selects it */
                error?: string;
                image?: string;
                provides?: Record<string, never>[];
                replaces?: string;
                skipRange?: string;
                skips?: string[];
                version: string;
                withdrawn?: boolean;
            }[];
        };
        ResolutionRefresh: {
            /**
             * Format: date-time
             * @description the refresh is done when status.follow.refreshed is not earlier than this
             */
            requested: string;
        };
        ResolutionRequest: {
            sources?: components["schemas"]["ResolutionSource"][];
            spec?: {
                approval?: string;
                constraints?: (string | Record<string, never>)[];
                facts?: Record<string, never>;
                installed?: {
                    name: string;
                    source?: string;
                    /** @enum {string} */
                    upgrades?: "catalog" | "semver" | "any";
                    version: string;
                }[];
                maxChanges?: number;
                policy?: string | Record<string, never>;
                prereleases?: string;
                sources?: string[];
                timeoutSeconds?: number;
                windows?: Record<string, never>[];
            };
        };
        ResolutionSource: {
            name?: string;
            packages?: {
                defaultChannel?: string;
                deprecated?: boolean;
                name: string;
                versions?: {
                    channels?: string[];
                    version: string;
                }[];
            }[];
            priority?: number;
        };
        /** @description the data of a document, and its status */
        Resource: {
            metadata?: {
                labels?: Record<string, never>;
                name?: string;
            };
            spec?: Record<string, never>;
            status?: components["schemas"]["Status"];
        };
        SolutionChange: {
            /** @enum {string} */
            change: "added" | "removed" | "changed" | "moved";
            message: string;
            new?: unknown;
            old?: unknown;
            path: string;
        };
        SolutionDescriptor: {
            applications: (string | {
                alias?: string;
                deployPostfix?: string;
                /** @description application:version */
                version: string;
            })[];
            deployGraph?: {
                apps?: string[];
                chunkName?: string;
            }[];
            deployMode?: string;
            type?: string;
            userData?: unknown;
            version?: unknown;
        };
        SolutionMerge: {
            deltas: components["schemas"]["SolutionDescriptor"][];
            full: components["schemas"]["SolutionDescriptor"];
            /** @enum {string} */
            mode?: "basic-merge" | "basic-exclusion-merge" | "extended-merge" | "replace";
        };
        SolutionMerged: {
            changes: components["schemas"]["SolutionChange"][];
            result: components["schemas"]["SolutionDescriptor"];
            warnings: components["schemas"]["SolutionWarning"][];
        };
        SolutionParameters: {
            /** @description the descriptors, as objects or as a string with JSON or YAML */
            SD_DATA?: unknown;
            /** @description the descriptors, as objects or as a string with JSON or YAML */
            SD_DATA_MULTIPLE?: unknown;
            SD_DELTA?: boolean | string;
            /** @enum {string} */
            SD_MERGE_MODE?: "basic-merge" | "basic-exclusion-merge" | "extended-merge" | "replace";
            /** @enum {string} */
            SD_REPO_MERGE_MODE?: "basic-merge" | "basic-exclusion-merge" | "extended-merge" | "replace";
            /** @enum {string} */
            SD_SOURCE_TYPE?: "artifact" | "json";
            /** @description artifacts, as application:version */
            SD_VERSION?: string | string[];
            /** @description artifacts, as application:version */
            SD_VERSION_MULTIPLE?: string | string[];
        };
        SolutionReport: {
            delta?: components["schemas"]["SolutionWritten"];
            dryRun?: boolean;
            environmentId: string;
            full?: components["schemas"]["SolutionWritten"];
            warnings: components["schemas"]["SolutionWarning"][];
        };
        SolutionWarning: {
            code: string;
            column?: number;
            file?: string;
            line?: number;
            message: string;
            path?: string;
            remedy?: string;
        };
        SolutionWritten: {
            changes: components["schemas"]["SolutionChange"][];
            /** @enum {string} */
            effect: "created" | "updated" | "unchanged";
            etag?: string;
            sd: components["schemas"]["SolutionDescriptor"];
        };
        Sources: {
            sources: {
                name: string;
                text: string;
            }[];
        };
        Status: {
            actions?: {
                action?: string;
                /** Format: date-time */
                at?: string;
                body?: unknown;
                /** @description the resulting state, for a kind with a lifecycle */
                state?: string;
            }[];
            /** @description the number of recorded actions, if actions contains only the latest */
            actionsTotal?: number;
            /** @description for a kind with a lifecycle: the state and, if the status itself is read, the actions that are allowed in it */
            lifecycle?: {
                action?: string;
                allowed?: string[];
                by?: string;
                /** Format: date-time */
                since?: string;
                state?: string;
            };
        };
        Transaction: {
            changes: {
                id: string;
                kind: string;
                /** @enum {string} */
                op: "created" | "updated" | "deleted";
                version: string;
            }[];
            message?: string;
            origin?: string;
            /** @description for at, before and revert */
            position: string;
            principal?: string;
            /** Format: date-time */
            time: string;
        };
        TransactionOutcome: {
            /** @description as in BatchResults */
            results?: Record<string, never>[];
            /**
             * @description an aborted transaction has no results and is never committed
             * @enum {string}
             */
            state: "committed" | "aborted";
            unreadable?: boolean;
        };
    };
    responses: {
        /** @description an error: what is wrong, and what to do */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description the reason for the write; it is stored with the transaction */
        "Dovetail-Message": string;
        /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
        "Idempotency-Key": string;
        /** @description entity tags, one of which the document must have, or * for any */
        "If-Match": string;
        /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
        "If-None-Match": string;
        /** @description the id of the event to resume after */
        "Last-Event-ID": string;
        /** @description who-can lists all users and groups that have the right, instead of answering whether the client has it; kinds lists, by right, the kinds on which the client has rights on at least some documents */
        accessView: "who-can" | "kinds";
        /** @description the id of the event to resume after */
        after: string;
        /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
        at: string;
        /** @description only records of this action, on at least one document or as a whole */
        auditAction: "created" | "updated" | "deleted" | "read" | "reveal" | "login" | "refused";
        /** @description the id of the last record of the previous page; empty for the first page */
        auditAfter: string;
        /** @description asc for the oldest records first (the default), or desc for the newest first */
        auditOrder: "asc" | "desc";
        /** @description the id of a document; can be given several times */
        authorIds: string[];
        /** @description the position that the previous page returned; empty for the first page */
        before: string;
        /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
        changeSet: string;
        /** @description a copy of the file of the embedded store, with its history, instead of a backup */
        checkpoint: boolean;
        /** @description decrypt documents of sensitive kinds */
        cleartext: boolean;
        /** @description only items whose data contains this text, in the name of a member or in a string, number or boolean, ignoring case; sensitive values are not searched; at most 200 bytes */
        contains: string;
        /** @description with view=document, include the data of the files */
        content: boolean;
        /** @description the token of the previous page; empty for the first page */
        continue: string;
        /** @description with view=tree, the number of levels, up to 50; with view=graph, the number of steps, up to 5 */
        depth: number;
        /** @description check everything and change nothing */
        dryRun: boolean;
        /** @description the number and hash of a block that was recorded earlier, such as 17:9f86d0...; several are separated by commas */
        expect: string;
        /** @description only items whose data matches: spec.replicas=3,metadata.name!=x; at most 100 terms */
        fieldSelector: string;
        /** @description only those at or after this time */
        from: string;
        /** @description the id of a document, which need not exist */
        id: string;
        /** @description the new data key of the rotation in progress */
        key: string;
        /** @description only documents of this kind */
        kind: string;
        /** @description only items whose metadata.labels match: app=nginx,tier in (a,b),!old; at most 100 terms, where each value in parentheses counts as one */
        labelSelector: string;
        /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
        limit: number;
        /** @description also change documents that are managed by a service, bypassing the service */
        managed: boolean;
        /** @description the activeResolution */
        "path-activeResolution": string;
        /** @description the associationId */
        "path-associationId": string;
        /** @description the bucket */
        "path-bucket": string;
        /** @description the entry */
        "path-entry": string;
        /** @description the group */
        "path-group": string;
        /** @description the id */
        "path-id": string;
        /** @description the key */
        "path-key": string;
        /** @description the kind */
        "path-kind": string;
        /** @description the name */
        "path-name": string;
        /** @description the namespace */
        "path-namespace": string;
        /** @description the other */
        "path-other": string;
        /** @description the package */
        "path-package": string;
        /** @description the position */
        "path-position": string;
        /** @description the resource */
        "path-resource": string;
        /** @description the revision */
        "path-revision": string;
        /** @description the session */
        "path-session": string;
        /** @description the source */
        "path-source": string;
        /** @description the tag */
        "path-tag": string;
        /** @description the validation */
        "path-validation": string;
        /** @description the version */
        "path-version": string;
        /** @description only those of this principal */
        principal: string;
        /** @description the right to check */
        right: "read" | "create" | "update" | "delete" | "act" | "use";
        /** @description the ref-schema that was active at this time (RFC 3339, or a day) or position of the history */
        schemaAt: string;
        /** @description the version number of an active or earlier ref-schema */
        schemaVersion: number;
        /** @description leave documents of sensitive kinds encrypted, with their wrapped data keys, as an import accepts them; not with selectors */
        sealed: boolean;
        /** @description words that must all match: a name, a prefix or part of it, a path such as c1/dev, or letters of a name in order */
        text: string;
        /** @description only those before this time */
        to: string;
        /** @description only documents below this id */
        under: string;
        /** @description document for the whole envelope; for an item also references, referrers, children, tree, graph, and history: its versions */
        view: "document" | "references" | "referrers" | "children" | "tree" | "graph" | "history";
        /** @description how long to wait for the status that a service derives from the written document, such as 30s */
        wait: string;
    };
    requestBodies: never;
    headers: {
        /** @description the change set whose view was read or written, escaped as in a path */
        "Dovetail-Change-Set": string;
        /** @description the position at which the answer was read; for a change set, its base */
        "Dovetail-Position": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApi: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiActiveResolutionsByActiveResolutionApprove: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the activeResolution */
                activeResolution: components["parameters"]["path-activeResolution"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionApprovalRequest"];
                "application/yaml": components["schemas"]["ResolutionApprovalRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionApproval"];
                    "application/yaml": components["schemas"]["ResolutionApproval"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiChangeSets: {
        parameters: {
            query?: {
                /** @description only change sets in this state */
                state?: "open" | "merged" | "closed";
                /** @description only change sets of this author */
                author?: string;
                /** @description me: only change sets that wait for your review */
                reviewer?: "me";
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the token of the previous page */
                continue?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSets"];
                    "application/yaml": components["schemas"]["ChangeSets"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSets: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetRequest"];
                "application/yaml": components["schemas"]["ChangeSetRequest"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiChangeSetsByName: {
        parameters: {
            query?: never;
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiChangeSetsByName: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    patchApiChangeSetsByName: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetPatch"];
                "application/yaml": components["schemas"]["ChangeSetPatch"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiChangeSetsByNameCheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSetCheck"];
                    "application/yaml": components["schemas"]["ChangeSetCheck"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameClose: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiChangeSetsByNameDiff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSetDiff"];
                    "application/yaml": components["schemas"]["ChangeSetDiff"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiChangeSetsByNameImpact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSetImpact"];
                    "application/yaml": components["schemas"]["ChangeSetImpact"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameMerge: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetMergeRequest"];
                "application/yaml": components["schemas"]["ChangeSetMergeRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSetMerge"];
                    "application/yaml": components["schemas"]["ChangeSetMerge"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiChangeSetsByNameOperations: {
        parameters: {
            query: {
                /** @description the id of the document */
                id: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNamePropose: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetProposeRequest"];
                "application/yaml": components["schemas"]["ChangeSetProposeRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameRebase: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetRebaseRequest"];
                "application/yaml": components["schemas"]["ChangeSetRebaseRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameReopen: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameRevert: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetRevertRequest"];
                "application/yaml": components["schemas"]["ChangeSetRevertRequest"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiChangeSetsByNameReviews: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeSetReviewRequest"];
                "application/yaml": components["schemas"]["ChangeSetReviewRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeSet"];
                    "application/yaml": components["schemas"]["ChangeSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiEffectiveSet: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description the view of the effective set */
                view?: "generated" | "to-be" | "explain";
                /** @description what to do with a parameter that several files set */
                onOverlap?: "error" | "last";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveSet"];
                    "application/yaml": components["schemas"]["EffectiveSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiEffectiveSet: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description the view of the effective set; default to-be */
                view?: "to-be" | "explain";
                /** @description what to do with a parameter that several files set */
                onOverlap?: "error" | "last";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverrideDraft"];
                "application/yaml": components["schemas"]["OverrideDraft"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveSet"];
                    "application/yaml": components["schemas"]["EffectiveSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiEffectiveSetCalculated: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the part of the set */
                context: "deployment" | "runtime" | "pipeline" | "cleanup" | "topology";
                /** @description the value of DEPLOYMENT_SESSION_ID */
                session?: string;
                /** @description explain returns the origin of each value */
                view?: "explain";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalculatedSet"];
                    "application/yaml": components["schemas"]["CalculatedSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiEffectiveSetImpact: {
        parameters: {
            query?: {
                /** @description the maximum number of listed differences, problems and findings; default 1000 */
                limit?: string;
                /** @description true streams JSON lines with the progress, and finally the impact on all environments, without a time limit */
                progress?: "true" | "false";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImpactRequest"];
                "application/yaml": components["schemas"]["ImpactRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveSetImpact"];
                    "application/x-ndjson": components["schemas"]["ImpactLine"];
                    "application/yaml": components["schemas"]["EffectiveSetImpact"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiParameters: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description explain returns the origin of each value */
                view?: "explain";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectiveSet"];
                    "application/yaml": components["schemas"]["EffectiveSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiParamset: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParamSetRequest"];
                "application/yaml": components["schemas"]["ParamSetRequest"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSet"];
                    "application/yaml": components["schemas"]["ParamSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiParamsetById: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSet"];
                    "application/yaml": components["schemas"]["ParamSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiParamsetById: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParamSetRequest"];
                "application/yaml": components["schemas"]["ParamSetRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSet"];
                    "application/yaml": components["schemas"]["ParamSet"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiParamsetById: {
        parameters: {
            query?: {
                /** @description the reason for the change */
                commitMessage?: string;
                /** @description the name of the author */
                commitUser?: string;
                /** @description the email address of the author */
                commitUserEmail?: string;
                /** @description true also deletes the associations */
                cascade?: "true" | "false";
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiParamsetByIdAssociations: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSetAssociation"][];
                    "application/yaml": components["schemas"]["ParamSetAssociation"][];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiParamsetByIdAssociations: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ParamSetAssociationRequest"];
                "application/yaml": components["schemas"]["ParamSetAssociationRequest"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSetAssociation"];
                    "application/yaml": components["schemas"]["ParamSetAssociation"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiParamsetByIdAssociationsByAssociationId: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
                /** @description the associationId */
                associationId: components["parameters"]["path-associationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParamSetAssociation"];
                    "application/yaml": components["schemas"]["ParamSetAssociation"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiParamsetByIdAssociationsByAssociationId: {
        parameters: {
            query?: {
                /** @description the reason for the change */
                commitMessage?: string;
                /** @description the name of the author */
                commitUser?: string;
                /** @description the email address of the author */
                commitUserEmail?: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description the id */
                id: components["parameters"]["path-id"];
                /** @description the associationId */
                associationId: components["parameters"]["path-associationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiResolve: {
        parameters: {
            query?: {
                /** @description true also returns the reasons why newer versions were excluded */
                explain?: "true" | "false";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionRequest"];
                "application/yaml": components["schemas"]["ResolutionRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionAnswer"];
                    "application/yaml": components["schemas"]["ResolutionAnswer"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiSd: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the full or the delta descriptor */
                kind: "full" | "delta";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolutionDescriptor"];
                    "application/yaml": components["schemas"]["SolutionDescriptor"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiSd: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the full or the delta descriptor */
                kind: "full" | "delta";
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolutionDescriptor"];
                "application/yaml": components["schemas"]["SolutionDescriptor"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolutionReport"];
                    "application/yaml": components["schemas"]["SolutionReport"];
                };
            };
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolutionReport"];
                    "application/yaml": components["schemas"]["SolutionReport"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiSd: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the full or the delta descriptor */
                kind: "full" | "delta";
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiSdMerge: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolutionMerge"];
                "application/yaml": components["schemas"]["SolutionMerge"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolutionMerged"];
                    "application/yaml": components["schemas"]["SolutionMerged"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiSdProcess: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolutionParameters"];
                "application/yaml": components["schemas"]["SolutionParameters"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolutionReport"];
                    "application/yaml": components["schemas"]["SolutionReport"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiSourcesBySource: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionSource"];
                    "application/yaml": components["schemas"]["ResolutionSource"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiSourcesBySource: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionSource"];
                "application/yaml": components["schemas"]["ResolutionSource"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionLoaded"];
                    "application/yaml": components["schemas"]["ResolutionLoaded"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiSourcesBySourceCatalog: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionCatalog"];
                "application/yaml": components["schemas"]["ResolutionCatalog"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionLoaded"];
                    "application/yaml": components["schemas"]["ResolutionLoaded"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiSourcesBySourcePackagesByPackage: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
                /** @description the package */
                package: components["parameters"]["path-package"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionPackage"];
                    "application/yaml": components["schemas"]["ResolutionPackage"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiSourcesBySourceRefresh: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the source */
                source: components["parameters"]["path-source"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            202: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionRefresh"];
                    "application/yaml": components["schemas"]["ResolutionRefresh"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiUiOverride: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Override"];
                    "application/yaml": components["schemas"]["Override"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiUiOverride: {
        parameters: {
            query?: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId?: string;
                /** @description the context of the parameters */
                context?: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverrideRequest"];
                "application/yaml": components["schemas"]["OverrideRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Override"];
                    "application/yaml": components["schemas"]["Override"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiUiOverride: {
        parameters: {
            query?: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId?: string;
                /** @description the context of the parameters */
                context?: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OverrideRequest"];
                "application/yaml": components["schemas"]["OverrideRequest"];
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Override"];
                    "application/yaml": components["schemas"]["Override"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiUiOverride: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the name of a namespace in the cluster */
                namespaceName?: string;
                /** @description the name of an application in the namespace */
                applicationName?: string;
                /** @description the reason for the change */
                commitMessage?: string;
                /** @description the name of the author */
                commitUser?: string;
                /** @description the email address of the author */
                commitUserEmail?: string;
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiUiOverrideCommon: {
        parameters: {
            query: {
                /** @description the context of the parameters */
                context: "deploy" | "deployment" | "runtime" | "pipeline";
                /** @description the minimum number of environments; default 2 */
                minimum?: string;
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["CommonParameter"][];
                    };
                    "application/yaml": {
                        items: components["schemas"]["CommonParameter"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiUiOverrideMove: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveRequest"];
                "application/yaml": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Move"];
                    "application/yaml": components["schemas"]["Move"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV1: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiV10Buckets: {
        parameters: {
            query?: {
                /** @description structure defers checks across documents until rendering */
                validate?: "structure" | "all";
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-yaml": string;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApiV10BucketsByBucketDocuments: {
        parameters: {
            query?: {
                /** @description structure defers checks across documents until rendering */
                validate?: "structure" | "all";
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /** @description the bucket */
                bucket: components["parameters"]["path-bucket"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-yaml": string;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10FailedValidations: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the number of failed validations */
                        count: number;
                        /** @description the first failed validations, by name */
                        results: {
                            /** @description the number of errors in the report */
                            errorCount: number;
                            /** @description the messages of the first errors */
                            messages: string[];
                            name: string;
                            /** @description false if a policy requires the validation and there is no report */
                            reported: boolean;
                        }[];
                        /** @description the newest revision; 0 before the first */
                        revision: number;
                    };
                    "application/yaml": {
                        /** @description the number of failed validations */
                        count: number;
                        /** @description the first failed validations, by name */
                        results: {
                            /** @description the number of errors in the report */
                            errorCount: number;
                            /** @description the messages of the first errors */
                            messages: string[];
                            name: string;
                            /** @description false if a policy requires the validation and there is no report */
                            reported: boolean;
                        }[];
                        /** @description the newest revision; 0 before the first */
                        revision: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10Health: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10Revisions: {
        parameters: {
            query?: {
                /** @description only revisions with this tag; may be given several times */
                tag?: string;
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the number of items to skip */
                offset?: string;
                /** @description the sort order, asc or desc */
                order?: "asc" | "desc";
                /** @description id; in the profile deckhand, order requires it; may be given several times */
                sort?: string;
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiV10Revisions: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevision: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionDeepdiffByOther: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the other */
                other: components["parameters"]["path-other"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionDiffByOther: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the other */
                other: components["parameters"]["path-other"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionDocuments: {
        parameters: {
            query?: {
                /** @description only documents with this schema, or this prefix of it; may be given several times */
                schema?: string;
                /** @description only documents with this name; may be given several times */
                "metadata.name"?: string;
                /** @description only documents with this label, as name=value; may be given several times */
                "metadata.label"?: string;
                /** @description only documents in this layer; an empty value selects documents without a layer; may be given several times */
                "metadata.layeringDefinition.layer"?: string;
                /** @description only abstract, or only concrete documents */
                "metadata.layeringDefinition.abstract"?: "true" | "false";
                /** @description only documents in this bucket; may be given several times */
                "status.bucket"?: string;
                /** @description the field to sort by; may be given several times */
                sort?: string;
                /** @description the sort order, asc or desc */
                order?: "asc" | "desc";
                /** @description the maximum number of items of a page; may be given several times */
                limit?: string;
                /** @description the token of the previous page, from its header Dovetail-Continue; may be given several times */
                continue?: string;
                /** @description whether to include secrets */
                "cleartext-secrets"?: "true" | "false";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionOrigins: {
        parameters: {
            query?: {
                /** @description only documents with this schema, or this prefix of it; may be given several times */
                schema?: string;
                /** @description only documents with this name; may be given several times */
                "metadata.name"?: string;
                /** @description only documents with this label, as name=value; may be given several times */
                "metadata.label"?: string;
                /** @description only documents in this layer; an empty value selects documents without a layer; may be given several times */
                "metadata.layeringDefinition.layer"?: string;
                /** @description only abstract, or only concrete documents */
                "metadata.layeringDefinition.abstract"?: "true" | "false";
                /** @description only documents in this bucket; may be given several times */
                "status.bucket"?: string;
                /** @description the field to sort by; may be given several times */
                sort?: string;
                /** @description the sort order, asc or desc */
                order?: "asc" | "desc";
                /** @description the maximum number of items of a page; may be given several times */
                limit?: string;
                /** @description the token of the previous page, from its header Dovetail-Continue; may be given several times */
                continue?: string;
                /** @description whether to include secrets */
                "cleartext-secrets"?: "true" | "false";
                /** @description the path of the values in rendered data; . means all values */
                path?: string;
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionRenderedDocuments: {
        parameters: {
            query?: {
                /** @description only documents with this schema, or this prefix of it; may be given several times */
                schema?: string;
                /** @description only documents with this name; may be given several times */
                "metadata.name"?: string;
                /** @description only documents with this label, as name=value; may be given several times */
                "metadata.label"?: string;
                /** @description only documents in this layer; an empty value selects documents without a layer; may be given several times */
                "metadata.layeringDefinition.layer"?: string;
                /** @description only abstract, or only concrete documents */
                "metadata.layeringDefinition.abstract"?: "true" | "false";
                /** @description only documents in this bucket; may be given several times */
                "status.bucket"?: string;
                /** @description the field to sort by; may be given several times */
                sort?: string;
                /** @description the sort order, asc or desc */
                order?: "asc" | "desc";
                /** @description the maximum number of items of a page; may be given several times */
                limit?: string;
                /** @description the token of the previous page, from its header Dovetail-Continue; may be given several times */
                continue?: string;
                /** @description whether to include secrets */
                "cleartext-secrets"?: "true" | "false";
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionTags: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiV10RevisionsByRevisionTags: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionTagsByTag: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the tag */
                tag: components["parameters"]["path-tag"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiV10RevisionsByRevisionTagsByTag: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the tag */
                tag: components["parameters"]["path-tag"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-yaml": string;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApiV10RevisionsByRevisionTagsByTag: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the tag */
                tag: components["parameters"]["path-tag"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionValidations: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionValidationsDetail: {
        parameters: {
            query?: {
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the number of items to skip */
                offset?: string;
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionValidationsByValidation: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the validation */
                validation: components["parameters"]["path-validation"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiV10RevisionsByRevisionValidationsByValidation: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the validation */
                validation: components["parameters"]["path-validation"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-yaml": string;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV10RevisionsByRevisionValidationsByValidationEntriesByEntry: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
                /** @description the validation */
                validation: components["parameters"]["path-validation"];
                /** @description the entry */
                entry: components["parameters"]["path-entry"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApiV10RollbackByRevision: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the revision */
                revision: components["parameters"]["path-revision"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-yaml": string;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV1Namespaces: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name, metadata.namespace and members of the data */
                fieldSelector?: string;
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the token of the previous page */
                continue?: string;
                /** @description stream changes instead of a list */
                watch?: string;
                /** @description how to match resourceVersion: Exact or NotOlderThan */
                resourceVersionMatch?: string;
                /** @description the maximum duration of a watch */
                timeoutSeconds?: string;
                /** @description whether a watch sends bookmarks */
                allowWatchBookmarks?: string;
                /** @description whether a watch starts with the existing objects */
                sendInitialEvents?: string;
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApiV1NamespacesByNamespace: {
        parameters: {
            query?: {
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApis: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisApiextensionsK8sIoV1Customresourcedefinitions: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name */
                fieldSelector?: string;
                /** @description ignored: there is only one page */
                limit?: string;
                /** @description must not be true */
                watch?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisApiextensionsK8sIoV1CustomresourcedefinitionsByName: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApisAuthorizationK8sIoV1Selfsubjectaccessreviews: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApisAuthorizationK8sIoV1Selfsubjectrulesreviews: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroup: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroupByVersion: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroupByVersionNamespacesByNamespaceByResource: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name, metadata.namespace and members of the data */
                fieldSelector?: string;
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the token of the previous page */
                continue?: string;
                /** @description stream changes instead of a list */
                watch?: string;
                /** @description how to match resourceVersion: Exact or NotOlderThan */
                resourceVersionMatch?: string;
                /** @description the maximum duration of a watch */
                timeoutSeconds?: string;
                /** @description whether a watch sends bookmarks */
                allowWatchBookmarks?: string;
                /** @description whether a watch starts with the existing objects */
                sendInitialEvents?: string;
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApisByGroupByVersionNamespacesByNamespaceByResource: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApisByGroupByVersionNamespacesByNamespaceByResource: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name, metadata.namespace and members of the data */
                fieldSelector?: string;
                /** @description the maximum number of deleted objects, the first by id */
                limit?: string;
                /** @description the timeout in seconds */
                timeoutSeconds?: string;
                /** @description Foreground: also delete children and referrers */
                propagationPolicy?: string;
                /** @description ignored: deletions are immediate */
                gracePeriodSeconds?: string;
                /** @description must not be true */
                orphanDependents?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroupByVersionNamespacesByNamespaceByResourceByName: {
        parameters: {
            query?: {
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApisByGroupByVersionNamespacesByNamespaceByResourceByName: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApisByGroupByVersionNamespacesByNamespaceByResourceByName: {
        parameters: {
            query?: {
                /** @description Foreground: also delete children and referrers */
                propagationPolicy?: string;
                /** @description ignored: deletions are immediate */
                gracePeriodSeconds?: string;
                /** @description must not be true */
                orphanDependents?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    patchApisByGroupByVersionNamespacesByNamespaceByResourceByName: {
        parameters: {
            query?: {
                /** @description for server-side apply: take over fields of other managers */
                force?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the namespace */
                namespace: components["parameters"]["path-namespace"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroupByVersionByResource: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name, metadata.namespace and members of the data */
                fieldSelector?: string;
                /** @description the maximum number of items of a page */
                limit?: string;
                /** @description the token of the previous page */
                continue?: string;
                /** @description stream changes instead of a list */
                watch?: string;
                /** @description how to match resourceVersion: Exact or NotOlderThan */
                resourceVersionMatch?: string;
                /** @description the maximum duration of a watch */
                timeoutSeconds?: string;
                /** @description whether a watch sends bookmarks */
                allowWatchBookmarks?: string;
                /** @description whether a watch starts with the existing objects */
                sendInitialEvents?: string;
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postApisByGroupByVersionByResource: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApisByGroupByVersionByResource: {
        parameters: {
            query?: {
                /** @description a label selector */
                labelSelector?: string;
                /** @description a field selector on metadata.name, metadata.namespace and members of the data */
                fieldSelector?: string;
                /** @description the maximum number of deleted objects, the first by id */
                limit?: string;
                /** @description the timeout in seconds */
                timeoutSeconds?: string;
                /** @description Foreground: also delete children and referrers */
                propagationPolicy?: string;
                /** @description ignored: deletions are immediate */
                gracePeriodSeconds?: string;
                /** @description must not be true */
                orphanDependents?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getApisByGroupByVersionByResourceByName: {
        parameters: {
            query?: {
                /** @description the resourceVersion that the result must not be older than */
                resourceVersion?: string;
                /** @description the content of the rows of a table: None, Metadata or Object */
                includeObject?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    putApisByGroupByVersionByResourceByName: {
        parameters: {
            query?: {
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteApisByGroupByVersionByResourceByName: {
        parameters: {
            query?: {
                /** @description Foreground: also delete children and referrers */
                propagationPolicy?: string;
                /** @description ignored: deletions are immediate */
                gracePeriodSeconds?: string;
                /** @description must not be true */
                orphanDependents?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    patchApisByGroupByVersionByResourceByName: {
        parameters: {
            query?: {
                /** @description for server-side apply: take over fields of other managers */
                force?: string;
                /** @description All: check everything and change nothing */
                dryRun?: string;
                /** @description the field manager, as recorded in metadata.managedFields */
                fieldManager?: string;
                /** @description ignored: unknown members are refused if the ref-schema forbids them */
                fieldValidation?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
                /** @description the resource */
                resource: components["parameters"]["path-resource"];
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getLivez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOpenapiV2: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOpenapiV3: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getOpenapiV3ApisByGroupByVersion: {
        parameters: {
            query?: {
                /** @description the hash of the description */
                hash?: string;
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path: {
                /** @description the group */
                group: components["parameters"]["path-group"];
                /** @description the version */
                version: components["parameters"]["path-version"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getReadyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    get2: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getAccess: {
        parameters: {
            query?: {
                /** @description who-can lists all users and groups that have the right, instead of answering whether the client has it; kinds lists, by right, the kinds on which the client has rights on at least some documents */
                view?: components["parameters"]["accessView"];
                /** @description the right to check */
                right?: components["parameters"]["right"];
                /** @description the id of a document, which need not exist */
                id?: components["parameters"]["id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getAudit: {
        parameters: {
            query?: {
                /** @description only those of this principal */
                principal?: components["parameters"]["principal"];
                /** @description only documents below this id */
                under?: components["parameters"]["under"];
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
                /** @description only records of this action, on at least one document or as a whole */
                action?: components["parameters"]["auditAction"];
                /** @description only those at or after this time */
                from?: components["parameters"]["from"];
                /** @description only those before this time */
                to?: components["parameters"]["to"];
                /** @description asc for the oldest records first (the default), or desc for the newest first */
                order?: components["parameters"]["auditOrder"];
                /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
                limit?: components["parameters"]["limit"];
                /** @description the id of the last record of the previous page; empty for the first page */
                after?: components["parameters"]["auditAfter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getAuditVerification: {
        parameters: {
            query?: {
                /** @description the number and hash of a block that was recorded earlier, such as 17:9f86d0...; several are separated by commas */
                expect?: components["parameters"]["expect"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getAuthors: {
        parameters: {
            query: {
                /** @description the id of a document; can be given several times */
                id: components["parameters"]["authorIds"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the documents that exist and that the caller may read, in the order of the given ids */
                        items: {
                            /** @description of the document */
                            id: string;
                            /** @description who made it; left out where that is not known */
                            principal?: string;
                            /** @description the one that is stored */
                            version: string;
                        }[];
                    };
                    "application/yaml": {
                        /** @description the documents that exist and that the caller may read, in the order of the given ids */
                        items: {
                            /** @description of the document */
                            id: string;
                            /** @description who made it; left out where that is not known */
                            principal?: string;
                            /** @description the one that is stored */
                            version: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getBackup: {
        parameters: {
            query?: {
                /** @description decrypt documents of sensitive kinds */
                cleartext?: components["parameters"]["cleartext"];
                /** @description a copy of the file of the embedded store, with its history, instead of a backup */
                checkpoint?: components["parameters"]["checkpoint"];
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postBatch: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description also change documents that are managed by a service, bypassing the service */
                managed?: components["parameters"]["managed"];
                /** @description how long to wait for the status that a service derives from the written document, such as 30s */
                wait?: components["parameters"]["wait"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Manifest"][] | components["schemas"]["Manifest"] | components["schemas"]["Manifests"];
                "application/yaml": components["schemas"]["Manifest"][] | components["schemas"]["Manifest"] | components["schemas"]["Manifests"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                    "application/yaml": components["schemas"]["BatchResults"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getCounts: {
        parameters: {
            query?: {
                /** @description only documents below this id */
                under?: components["parameters"]["under"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the number of documents, by kind */
                        kinds: {
                            [key: string]: number;
                        };
                        /** @description whether the store has more documents than are counted */
                        partial?: boolean;
                    };
                    "application/yaml": {
                        /** @description the number of documents, by kind */
                        kinds: {
                            [key: string]: number;
                        };
                        /** @description whether the store has more documents than are counted */
                        partial?: boolean;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getDocuments: {
        parameters: {
            query?: {
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
                /** @description only documents below this id */
                under?: components["parameters"]["under"];
                /** @description only items whose metadata.labels match: app=nginx,tier in (a,b),!old; at most 100 terms, where each value in parentheses counts as one */
                labelSelector?: components["parameters"]["labelSelector"];
                /** @description only items whose data matches: spec.replicas=3,metadata.name!=x; at most 100 terms */
                fieldSelector?: components["parameters"]["fieldSelector"];
                /** @description only items whose data contains this text, in the name of a member or in a string, number or boolean, ignoring case; sensitive values are not searched; at most 200 bytes */
                contains?: components["parameters"]["contains"];
                /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
                limit?: components["parameters"]["limit"];
                /** @description the token of the previous page; empty for the first page */
                continue?: components["parameters"]["continue"];
                /** @description with view=document, include the data of the files */
                content?: components["parameters"]["content"];
                /** @description document for the whole envelope; for an item also references, referrers, children, tree, graph, and history: its versions */
                view?: components["parameters"]["view"];
                /** @description with view=tree, the number of levels, up to 50; with view=graph, the number of steps, up to 5 */
                depth?: components["parameters"]["depth"];
                /** @description leave documents of sensitive kinds encrypted, with their wrapped data keys, as an import accepts them; not with selectors */
                sealed?: components["parameters"]["sealed"];
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        continue?: string;
                        items: components["schemas"]["Document"][];
                    };
                    "application/yaml": {
                        continue?: string;
                        items: components["schemas"]["Document"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postDocuments: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Document"][];
                "application/yaml": components["schemas"]["Document"][];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                    "application/yaml": components["schemas"]["BatchResults"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postEncryptionRotate: {
        parameters: {
            query?: {
                /** @description the new data key of the rotation in progress */
                key?: components["parameters"]["key"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        done?: boolean;
                        /** @description the new data key: send it as the parameter key to continue */
                        key?: string;
                        retired?: string[];
                        sealed?: number;
                    };
                    "application/yaml": {
                        done?: boolean;
                        /** @description the new data key: send it as the parameter key to continue */
                        key?: string;
                        retired?: string[];
                        sealed?: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getIdempotencyKeysByKey: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the key */
                key: components["parameters"]["path-key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionOutcome"];
                    "application/yaml": components["schemas"]["TransactionOutcome"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteIdempotencyKeysByKey: {
        parameters: {
            query?: {
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path: {
                /** @description the key */
                key: components["parameters"]["path-key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionOutcome"];
                    "application/yaml": components["schemas"]["TransactionOutcome"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postRename: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description how long to wait for the status that a service derives from the written document, such as 30s */
                wait?: components["parameters"]["wait"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @description the new id, of the same kind: with another name, another parent, or both */
                    to: string;
                };
                "application/yaml": {
                    id: string;
                    /** @description the new id, of the same kind: with another name, another parent, or both */
                    to: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                    "application/yaml": components["schemas"]["BatchResults"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postRollback: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description how long to wait for the status that a service derives from the written document, such as 30s */
                wait?: components["parameters"]["wait"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @description a version in the history of the document; default the one before the last change */
                    version?: string;
                };
                "application/yaml": {
                    id: string;
                    /** @description a version in the history of the document; default the one before the last change */
                    version?: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                    "application/yaml": components["schemas"]["BatchResults"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSchema: {
        parameters: {
            query?: {
                /** @description the version number of an active or earlier ref-schema */
                version?: components["parameters"]["schemaVersion"];
                /** @description the ref-schema that was active at this time (RFC 3339, or a day) or position of the history */
                at?: components["parameters"]["schemaAt"];
            };
            header?: {
                /** @description entity tags, one of which the document must have, or * for any */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description answer 304 if the document has one of these entity tags; on PUT, * means: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postSchemaImpact: {
        parameters: {
            query?: {
                /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
                limit?: components["parameters"]["limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Sources"];
                "application/yaml": components["schemas"]["Sources"];
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        findings?: Record<string, never>[];
                        total?: number;
                    };
                    "application/yaml": {
                        findings?: Record<string, never>[];
                        total?: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postSchemaMigrate: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description the files of the new ref-schema */
                    sources: {
                        name: string;
                        text: string;
                    }[];
                    /** @description in the format of the file of dovetail schema migrate */
                    steps: Record<string, never>[];
                };
                "application/yaml": {
                    /** @description the files of the new ref-schema */
                    sources: {
                        name: string;
                        text: string;
                    }[];
                    /** @description in the format of the file of dovetail schema migrate */
                    steps: Record<string, never>[];
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description those that are not merged: what they stage is rewritten, and approvals of them no longer count */
                        changeSets?: {
                            id: string;
                            operations: number;
                        }[];
                        /** @description the number of documents that change */
                        documents: number;
                        dryRun?: boolean;
                        kinds: {
                            kind: string;
                            renamed: number;
                            rewritten: number;
                            to: string;
                        }[];
                        /** @description the number of references that are no longer in the data */
                        lost: number;
                        /** @description the number of references with a new target */
                        references: number;
                    };
                    "application/yaml": {
                        /** @description those that are not merged: what they stage is rewritten, and approvals of them no longer count */
                        changeSets?: {
                            id: string;
                            operations: number;
                        }[];
                        /** @description the number of documents that change */
                        documents: number;
                        dryRun?: boolean;
                        kinds: {
                            kind: string;
                            renamed: number;
                            rewritten: number;
                            to: string;
                        }[];
                        /** @description the number of references that are no longer in the data */
                        lost: number;
                        /** @description the number of references with a new target */
                        references: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSchemaVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description the differences from the previous version */
                            changes?: {
                                change?: string;
                                kind?: string;
                                message?: string;
                            }[];
                            hash: string;
                            /** @description the principal that put it in force; omitted if a server did, from its files */
                            principal?: string;
                            /** Format: date-time */
                            since: string;
                            version: number;
                        }[];
                    };
                    "application/yaml": {
                        items: {
                            /** @description the differences from the previous version */
                            changes?: {
                                change?: string;
                                kind?: string;
                                message?: string;
                            }[];
                            hash: string;
                            /** @description the principal that put it in force; omitted if a server did, from its files */
                            principal?: string;
                            /** Format: date-time */
                            since: string;
                            version: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSchemaByKind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the kind */
                kind: components["parameters"]["path-kind"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getScrub: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description its findings that still apply, for documents that the caller may read */
                        findings: {
                            /** @description the document; omitted if an index is damaged */
                            id?: string;
                            message: string;
                            /** @description the document that it refers to, if there is one */
                            other?: string;
                            /** @description a stable identifier, such as broken-rule */
                            problem: string;
                        }[];
                        /** @description the scrub had more findings than are stored; dovetail fsck shows all */
                        partial?: boolean;
                        /**
                         * Format: date-time
                         * @description when the last scrub ended; omitted before the first one
                         */
                        scrubbed?: string;
                    };
                    "application/yaml": {
                        /** @description its findings that still apply, for documents that the caller may read */
                        findings: {
                            /** @description the document; omitted if an index is damaged */
                            id?: string;
                            message: string;
                            /** @description the document that it refers to, if there is one */
                            other?: string;
                            /** @description a stable identifier, such as broken-rule */
                            problem: string;
                        }[];
                        /** @description the scrub had more findings than are stored; dovetail fsck shows all */
                        partial?: boolean;
                        /**
                         * Format: date-time
                         * @description when the last scrub ended; omitted before the first one
                         */
                        scrubbed?: string;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSearch: {
        parameters: {
            query?: {
                /** @description words that must all match: a name, a prefix or part of it, a path such as c1/dev, or letters of a name in order */
                text?: components["parameters"]["text"];
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
                /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
                limit?: components["parameters"]["limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description best matches first */
                        items: {
                            id: string;
                            kind: string;
                        }[];
                        /** @description whether the store has more documents than are searched */
                        partial?: boolean;
                    };
                    "application/yaml": {
                        /** @description best matches first */
                        items: {
                            id: string;
                            kind: string;
                        }[];
                        /** @description whether the store has more documents than are searched */
                        partial?: boolean;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            address: string;
                            /** @enum {string} */
                            authenticated: "token" | "oidc" | "certificate" | "token-review" | "keystone" | "front-proxy";
                            /** @description whether it is the session of this request */
                            current?: boolean;
                            /** Format: date-time */
                            expires?: string;
                            groups?: string[];
                            id: string;
                            /** Format: date-time */
                            lastUsed: string;
                            principal: string;
                            /** Format: date-time */
                            since: string;
                            streams: number;
                        }[];
                    };
                    "application/yaml": {
                        items: {
                            address: string;
                            /** @enum {string} */
                            authenticated: "token" | "oidc" | "certificate" | "token-review" | "keystone" | "front-proxy";
                            /** @description whether it is the session of this request */
                            current?: boolean;
                            /** Format: date-time */
                            expires?: string;
                            groups?: string[];
                            id: string;
                            /** Format: date-time */
                            lastUsed: string;
                            principal: string;
                            /** Format: date-time */
                            since: string;
                            streams: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    deleteSessionsBySession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the session */
                session: components["parameters"]["path-session"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
    getSystem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description tasks that only one process executes */
                        leases: {
                            /** Format: date-time */
                            heartbeat?: string;
                            /** @description omitted if no process holds the lease */
                            holder?: string;
                            /** Format: date-time */
                            since?: string;
                            /** @description how often the lease was acquired */
                            term?: number;
                            work: string;
                        }[];
                        /** @description the current state of the flow control levels */
                        levels: {
                            name: string;
                            /** @description the number of refused requests since the process started */
                            refused: number;
                            seats: number;
                            used: number;
                            waiting: number;
                        }[];
                        limits: {
                            /** @description requests at the same time of one principal; 0 means no limit */
                            atOnce: number;
                            batchBytes: number;
                            bodyBytes: number;
                            /** @description requests in one burst of one principal; 0 means no limit */
                            burst: number;
                            /** @description requests that wait of one principal; 0 means no limit */
                            queue: number;
                            /** @description the maximum time that a request waits, such as 10s */
                            queueWait: string;
                            /** @description requests a second of one principal; 0 means no limit */
                            requestsPerSecond: number;
                            /** @description watches at the same time of one principal; 0 means no limit */
                            watches: number;
                        };
                        /** @description the process that responds */
                        process: string;
                        /** @description for a store on MongoDB, its protocol level, which determines what processes may write */
                        protocol?: {
                            /** @description the level of the store, as used by the process that responds */
                            level: number;
                            /** @description the newest level that the process supports */
                            newest: number;
                        };
                        /** @description the type of the store */
                        store: string;
                        version?: string;
                    };
                    "application/yaml": {
                        /** @description tasks that only one process executes */
                        leases: {
                            /** Format: date-time */
                            heartbeat?: string;
                            /** @description omitted if no process holds the lease */
                            holder?: string;
                            /** Format: date-time */
                            since?: string;
                            /** @description how often the lease was acquired */
                            term?: number;
                            work: string;
                        }[];
                        /** @description the current state of the flow control levels */
                        levels: {
                            name: string;
                            /** @description the number of refused requests since the process started */
                            refused: number;
                            seats: number;
                            used: number;
                            waiting: number;
                        }[];
                        limits: {
                            /** @description requests at the same time of one principal; 0 means no limit */
                            atOnce: number;
                            batchBytes: number;
                            bodyBytes: number;
                            /** @description requests in one burst of one principal; 0 means no limit */
                            burst: number;
                            /** @description requests that wait of one principal; 0 means no limit */
                            queue: number;
                            /** @description the maximum time that a request waits, such as 10s */
                            queueWait: string;
                            /** @description requests a second of one principal; 0 means no limit */
                            requestsPerSecond: number;
                            /** @description watches at the same time of one principal; 0 means no limit */
                            watches: number;
                        };
                        /** @description the process that responds */
                        process: string;
                        /** @description for a store on MongoDB, its protocol level, which determines what processes may write */
                        protocol?: {
                            /** @description the level of the store, as used by the process that responds */
                            level: number;
                            /** @description the newest level that the process supports */
                            newest: number;
                        };
                        /** @description the type of the store */
                        store: string;
                        version?: string;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTransactions: {
        parameters: {
            query?: {
                /** @description the id of a document, which need not exist */
                id?: components["parameters"]["id"];
                /** @description only documents below this id */
                under?: components["parameters"]["under"];
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
                /** @description only those of this principal */
                principal?: components["parameters"]["principal"];
                /** @description only those at or after this time */
                from?: components["parameters"]["from"];
                /** @description only those before this time */
                to?: components["parameters"]["to"];
                /** @description the maximum number of items of a page; it has fewer if they are large, and at most 1000. The answer is then an object with items and continue. A tree or graph has up to 1000, a search up to 100 */
                limit?: components["parameters"]["limit"];
                /** @description the position that the previous page returned; empty for the first page */
                before?: components["parameters"]["before"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the parameter before of the next page */
                        before?: string;
                        items: components["schemas"]["Transaction"][];
                    };
                    "application/yaml": {
                        /** @description the parameter before of the next page */
                        before?: string;
                        items: components["schemas"]["Transaction"][];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getTransactionsByPosition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the position */
                position: components["parameters"]["path-position"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                    "application/yaml": components["schemas"]["Transaction"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postTransactionsByPositionRevert: {
        parameters: {
            query?: {
                /** @description check everything and change nothing */
                dryRun?: components["parameters"]["dryRun"];
                /** @description how long to wait for the status that a service derives from the written document, such as 30s */
                wait?: components["parameters"]["wait"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path: {
                /** @description the position */
                position: components["parameters"]["path-position"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResults"];
                    "application/yaml": components["schemas"]["BatchResults"];
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getWatch: {
        parameters: {
            query?: {
                /** @description the id of the event to resume after */
                after?: components["parameters"]["after"];
            };
            header?: {
                /** @description the id of the event to resume after */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            /** @description how many events wait to be delivered, counted up to the maximum */
                            behind: number;
                            deadLetters: number;
                            delivered: number;
                            events: string[];
                            /** @description the event that its receiver has not accepted yet */
                            failure?: {
                                attempts?: number;
                                error?: string;
                                event?: string;
                                /** Format: date-time */
                                next?: string;
                                /** Format: date-time */
                                since?: string;
                                type?: string;
                            };
                            groups?: string[];
                            kinds?: string[];
                            /** @description the last events that were lost, since the history no longer had them */
                            lost?: {
                                /** @description the position of the last commit before them */
                                after?: string;
                                /** @description that of the last commit among them */
                                position?: string;
                                /** Format: date-time */
                                time?: string;
                            };
                            name: string;
                            position?: string;
                            principal?: string;
                            under?: string[];
                            url: string;
                        }[];
                    };
                    "application/yaml": {
                        items: {
                            /** @description how many events wait to be delivered, counted up to the maximum */
                            behind: number;
                            deadLetters: number;
                            delivered: number;
                            events: string[];
                            /** @description the event that its receiver has not accepted yet */
                            failure?: {
                                attempts?: number;
                                error?: string;
                                event?: string;
                                /** Format: date-time */
                                next?: string;
                                /** Format: date-time */
                                since?: string;
                                type?: string;
                            };
                            groups?: string[];
                            kinds?: string[];
                            /** @description the last events that were lost, since the history no longer had them */
                            lost?: {
                                /** @description the position of the last commit before them */
                                after?: string;
                                /** @description that of the last commit among them */
                                position?: string;
                                /** Format: date-time */
                                time?: string;
                            };
                            name: string;
                            position?: string;
                            principal?: string;
                            under?: string[];
                            url: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getWebhooksByNameDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            attempts: number;
                            error: string;
                            event: Record<string, never>;
                            id: string;
                            /** Format: date-time */
                            last: string;
                            /** @description whether it is about to be redelivered */
                            redeliver?: boolean;
                            /** Format: date-time */
                            since: string;
                            type: string;
                        }[];
                    };
                    "application/yaml": {
                        items: {
                            attempts: number;
                            error: string;
                            event: Record<string, never>;
                            id: string;
                            /** Format: date-time */
                            last: string;
                            /** @description whether it is about to be redelivered */
                            redeliver?: boolean;
                            /** Format: date-time */
                            since: string;
                            type: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postWebhooksByNameRedeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the name */
                name: components["parameters"]["path-name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description the ids of dead letters; default all of them */
                    ids?: string[];
                };
                "application/yaml": {
                    /** @description the ids of dead letters; default all of them */
                    ids?: string[];
                };
            };
        };
        responses: {
            /** @description done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        queued: number;
                    };
                    "application/yaml": {
                        queued: number;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getWork: {
        parameters: {
            query?: {
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        }[];
                    };
                    "application/yaml": {
                        items: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postWorkClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id?: string;
                    kinds?: string[];
                    /** @description the duration of the claim in seconds; default 60 */
                    seconds?: number;
                    worker: string;
                };
                "application/yaml": {
                    id?: string;
                    kinds?: string[];
                    /** @description the duration of the claim in seconds; default 60 */
                    seconds?: number;
                    worker: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        work?: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        };
                    };
                    "application/yaml": {
                        work?: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postWorkFinish: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description the reason for the write; it is stored with the transaction */
                "Dovetail-Message"?: components["parameters"]["Dovetail-Message"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    failed?: boolean;
                    id: string;
                    message?: string;
                    /** @description members to set in the status of the document */
                    status?: Record<string, never>;
                    token: string;
                };
                "application/yaml": {
                    failed?: boolean;
                    id: string;
                    message?: string;
                    /** @description members to set in the status of the document */
                    status?: Record<string, never>;
                    token: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        document: Record<string, never>;
                    };
                    "application/yaml": {
                        document: Record<string, never>;
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    postWorkRenew: {
        parameters: {
            query?: never;
            header?: {
                /** @description the idempotency key of the request: if it is sent again with the same key, it is executed only once, and the first response is returned */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @description the duration of the claim in seconds; default 60 */
                    seconds?: number;
                    token: string;
                };
                "application/yaml": {
                    id: string;
                    /** @description the duration of the claim in seconds; default 60 */
                    seconds?: number;
                    token: string;
                };
            };
        };
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        work?: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        };
                    };
                    "application/yaml": {
                        work?: {
                            action: string;
                            /** Format: date-time */
                            at: string;
                            attempt?: number;
                            /** @description the body of the request for the action; not in lists */
                            body?: unknown;
                            by?: string;
                            /** @description the document when the action was claimed */
                            document?: Record<string, never>;
                            id: string;
                            kind: string;
                            /** @description later requested actions of the document */
                            later?: string[];
                            number: number;
                            revision?: number;
                            /** @description the state after the action */
                            state?: string;
                            /** @description the token of the claim, only for the worker that made it */
                            token?: string;
                            /** Format: date-time */
                            until?: string;
                            worker?: string;
                        };
                    };
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getVersion: {
        parameters: {
            query?: {
                /** @description ignored: responses are compact */
                pretty?: string;
                /** @description ignored: the server has its own limit */
                timeout?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
    getVersions: {
        parameters: {
            query?: {
                /** @description read as of a time (RFC 3339, or a day), a position, or, for an item, one of its versions */
                at?: components["parameters"]["at"];
                /** @description read or write in the view of this change set: writes are staged in it and change nothing else; not with at, watch, wait, sealed or view=history */
                changeSet?: components["parameters"]["changeSet"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description done */
            200: {
                headers: {
                    "Dovetail-Change-Set": components["headers"]["Dovetail-Change-Set"];
                    "Dovetail-Position": components["headers"]["Dovetail-Position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-yaml": string;
                };
            };
            default: components["responses"]["Problem"];
        };
    };
}
