import { useQuery } from "@tanstack/react-query";
import { mayQuery } from "../api/access";
import { useProtection } from "../changesets/protection";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { useReadOnly } from "../view/moment";
import { outlineQuery } from "./outline";
import type { Target } from "./place";

/** Why an override cannot be changed, in words; what is absent can. */
export interface Frozen {
  save?: string;
  delete?: string;
  move?: string; // parameters of it to another ParamSet
  direct?: string; // which protection leaves the way through a change set only
}

/**
 * What the moment that is shown, and the rights of the user, do not allow with an override: it is a ParamSet of its environment with
 * an association, which come and go together.
 */
export function useFrozen(target: Target, exists: boolean): Frozen {
  const t = useTexts();
  const past = useReadOnly();
  const [cluster = "", environment = ""] = target.environmentId.split("/");
  const outline = useQuery(outlineQuery(cluster, environment)).data;
  const above = [{ name: "cluster", value: cluster }, { name: "environment", value: environment }];
  const paramSet = formatId([...above, { name: "environmentParamSet", value: paramSetName(target, outline?.namespaces.find(({ name }) => name === target.namespaceName)?.postfix) }]);
  const association = formatId([...above, { name: "paramSetAssociation", value: "new" }]); // of any name: rights go by the environment
  const mayCreate = [useQuery(mayQuery("create", paramSet)), useQuery(mayQuery("create", association))].every(({ data }) => data !== false);
  const mayUpdate = useQuery(mayQuery("update", paramSet)).data !== false;
  const mayDelete = [useQuery(mayQuery("delete", paramSet)), useQuery(mayQuery("delete", association))].every(({ data }) => data !== false);
  const direct = useProtection([paramSet, association]);
  if (past !== undefined) return { save: past, delete: past, move: past };
  const save = (exists ? mayUpdate : mayCreate) ? undefined : t("override.mayNotSave");
  return { direct, save, delete: mayDelete ? undefined : t("override.mayNotDelete"), move: mayUpdate ? undefined : t("override.mayNotSave") };
}

/** The name of the ParamSet that an override is. */
export function paramSetName({ context, namespaceName, applicationName }: Target, postfix = namespaceName): string {
  return [postfix, applicationName, context, "ui-override"].filter((part) => part !== undefined).join("-");
}
