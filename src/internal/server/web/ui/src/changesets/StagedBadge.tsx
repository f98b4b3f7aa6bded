import { useQuery } from "@tanstack/react-query";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { PageLink } from "../shell/links";
import { changeSetQuery, type Verb } from "./queries";

const changes: Record<Verb, "created" | "updated" | "deleted"> = { create: "created", update: "updated", delete: "deleted" };

/** Says of a document that it is staged in the change set that the page works in. */
export function StagedBadge({ id }: { id: string }) {
  const t = useTexts();
  const name = changeSet();
  const { data } = useQuery({ ...changeSetQuery(name), enabled: name !== "" });
  const staged = data?.operations?.find((operation) => operation.id === id);
  if (!staged) return null;
  return (
    <>
      <ChangeBadge change={changes[staged.verb]} />
      <PageLink to="/change-sets" search={{ name, tab: "changes" }} size="sm">
        {t("changesets.inThisChangeSet")}
      </PageLink>
    </>
  );
}
