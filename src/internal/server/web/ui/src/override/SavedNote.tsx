import { Group, Text } from "@mantine/core";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";
import { formatId } from "../model/ids";
import { Commit } from "../shell/Commit";
import { PageLink } from "../shell/links";
import type { Target } from "./place";
import type { Saved } from "./queries";

/** Says that an override is saved, in which commit, and leads to its history. */
export function SavedNote({ target, saved: { commit, paramSet } }: { target: Target; saved: Saved }) {
  const t = useTexts();
  const [cluster = "", environment = ""] = target.environmentId.split("/");
  const id = paramSet && formatId([{ name: "cluster", value: cluster }, { name: "environment", value: environment }, { name: "environmentParamSet", value: paramSet }]);
  return (
    <Group gap="xs">
      <Text role="status">{changeSet() === "" ? t("common.saved") : t("common.savedStaged")}</Text>
      {commit && <Text size="sm">{t("override.commit")} <Commit hash={commit} /></Text>}
      {id && <PageLink to="/explorer" search={{ id, tab: "history" }} size="sm">{t("override.savedHistory")}</PageLink>}
    </Group>
  );
}
