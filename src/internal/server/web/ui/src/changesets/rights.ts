import { useQuery } from "@tanstack/react-query";
import { kindsQuery, mayQuery } from "../api/access";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { useReadOnlyNow } from "../view/moment";

/** Why something cannot be done with a change set, in words; what is absent can. */
export interface Frozen {
  update?: string; // review, rebase, merge, propose, close, and say what it is for
  delete?: string;
  revert?: string; // which makes another one
}

/** What the moment that is shown, and the rights of the user, do not allow with a change set. */
export function useFrozen(name: string): Frozen {
  const t = useTexts();
  const past = useReadOnlyNow();
  const id = formatId([{ name: "changeSet", value: name }]);
  const mayUpdate = useQuery(mayQuery("update", id)).data !== false;
  const mayDelete = useQuery(mayQuery("delete", id)).data !== false;
  const mayCreate = useQuery(kindsQuery).data?.create.has("changeSet") !== false;
  if (past !== undefined) return { update: past, delete: past, revert: past };
  return {
    update: mayUpdate ? undefined : t("changesets.mayNotUpdate"),
    delete: mayDelete ? undefined : t("changesets.mayNotDelete"),
    revert: mayCreate ? undefined : t("common.mayNotCreate"),
  };
}
