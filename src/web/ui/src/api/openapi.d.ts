// Made by scripts/web from the server's /openapi.json. Do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** what is served here */
        get: operations["get"];
        put?: never;
        post?: never;
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
        /** merge solution descriptors and store nothing */
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
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** whether the process lives */
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
        /** metrics in the format of Prometheus */
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
        /** this description */
        get: operations["getOpenapiJson"];
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
        /** whether requests can be served, with the checks */
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
        /** what is served here */
        get: operations["get2"];
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
        /** many writes in one transaction */
        post: operations["postBatch"];
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
        /** import documents as they were exported */
        post: operations["postDocuments"];
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
        /** whether the process lives, as older systems ask */
        get: operations["getHealth"];
        put?: never;
        post?: never;
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
        /** what another ref-schema would do to what is stored */
        post: operations["postSchemaImpact"];
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        BatchResults: {
            results: {
                because?: {
                    of?: string;
                    relation?: string;
                };
                /** @enum {string} */
                effect: "created" | "updated" | "unchanged" | "deleted";
                etag?: string;
                id: string;
                index?: number;
                kind: string;
                warnings?: string[];
            }[];
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
        File: {
            filename?: string;
            mediaType?: string;
            name?: string;
            size?: number;
        };
        /** @description what shall be done with one document; without data, all other members are its data */
        Manifest: {
            cascade?: boolean;
            content?: {
                data?: string;
                filename?: string;
                mediaType?: string;
                name?: string;
            }[];
            data?: Record<string, never>;
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
            op: "put" | "create" | "patch" | "delete" | "status";
        };
        Manifests: {
            items?: components["schemas"]["Manifest"][];
            operations?: components["schemas"]["Manifest"][];
        };
        Problem: {
            blockedBy?: {
                ids?: string[];
                total?: number;
            };
            code: string;
            current?: Record<string, never>;
            detail: string;
            errors?: {
                blockedBy?: {
                    ids?: string[];
                    total?: number;
                };
                code: string;
                column?: number;
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
            }[];
            id?: string;
            instance?: string;
            missing?: string[];
            reason?: string;
            remedy?: string;
            status: number;
            title: string;
            type: string;
        };
        /** @description the data of a document, and the status that services wrote */
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
            /** @description the descriptors, as they are or as a text of JSON or YAML */
            SD_DATA?: unknown;
            /** @description the descriptors, as they are or as a text of JSON or YAML */
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
            }[];
        };
    };
    responses: {
        /** @description what is wrong, and what to do */
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
        /** @description names the request: sent again with the same key it is done once, and answered as it was */
        "Idempotency-Key": string;
        /** @description entity tags one of which the document must have, or * */
        "If-Match": string;
        /** @description entity tags that need not be answered; on PUT, *: only create */
        "If-None-Match": string;
        /** @description the id of the event to resume after */
        "Last-Event-ID": string;
        /** @description the id of the event to resume after */
        after: string;
        /** @description delete what holds the document with it; plan only shows what that is */
        cascade: "true" | "false" | "plan";
        /** @description with view=document, the files' data, too */
        content: boolean;
        /** @description the token of the page before */
        continue: string;
        /** @description with view=tree, how many levels */
        depth: number;
        /** @description check everything, change nothing */
        dryRun: boolean;
        /** @description only items whose data fits: spec.replicas=3,metadata.name!=x */
        fieldSelector: string;
        /** @description which of several files of the part */
        filename: string;
        /** @description only documents of this kind */
        kind: string;
        /** @description only items whose metadata.labels fit: app=nginx,tier in (a,b),!old */
        labelSelector: string;
        /** @description at most so many items a page; the answer is then an object with items and continue */
        limit: number;
        /** @description the kind */
        "path-kind": string;
        /** @description only documents below this id */
        under: string;
        /** @description document for the whole envelope; of an item also references, referrers, children, tree */
        view: "document" | "references" | "referrers" | "children" | "tree";
        /** @description stream changes as server-sent events */
        watch: boolean;
    };
    requestBodies: never;
    headers: never;
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
    getApiSd: {
        parameters: {
            query: {
                /** @description the environment, as <cluster>/<environment> */
                environmentId: string;
                /** @description which of the two, full or delta */
                kind: "full" | "delta";
            };
            header?: {
                /** @description entity tags that need not be answered; on PUT, *: only create */
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
                /** @description which of the two, full or delta */
                kind: "full" | "delta";
                /** @description check everything, change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description entity tags one of which the document must have, or * */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description entity tags that need not be answered; on PUT, *: only create */
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
                /** @description which of the two, full or delta */
                kind: "full" | "delta";
                /** @description check everything, change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description entity tags one of which the document must have, or * */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description entity tags that need not be answered; on PUT, *: only create */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
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
    postApiSdMerge: {
        parameters: {
            query?: never;
            header?: never;
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
                /** @description check everything, change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: never;
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
    postBatch: {
        parameters: {
            query?: {
                /** @description check everything, change nothing */
                dryRun?: components["parameters"]["dryRun"];
            };
            header?: {
                /** @description names the request: sent again with the same key it is done once, and answered as it was */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
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
    getDocuments: {
        parameters: {
            query?: {
                /** @description only documents of this kind */
                kind?: components["parameters"]["kind"];
                /** @description only documents below this id */
                under?: components["parameters"]["under"];
                /** @description only items whose metadata.labels fit: app=nginx,tier in (a,b),!old */
                labelSelector?: components["parameters"]["labelSelector"];
                /** @description only items whose data fits: spec.replicas=3,metadata.name!=x */
                fieldSelector?: components["parameters"]["fieldSelector"];
                /** @description at most so many items a page; the answer is then an object with items and continue */
                limit?: components["parameters"]["limit"];
                /** @description the token of the page before */
                continue?: components["parameters"]["continue"];
                /** @description with view=document, the files' data, too */
                content?: components["parameters"]["content"];
                /** @description document for the whole envelope; of an item also references, referrers, children, tree */
                view?: components["parameters"]["view"];
                /** @description with view=tree, how many levels */
                depth?: components["parameters"]["depth"];
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
            header?: never;
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
    getSchema: {
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
    postSchemaImpact: {
        parameters: {
            query?: {
                /** @description at most so many items a page; the answer is then an object with items and continue */
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
}
