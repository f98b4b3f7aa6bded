import { Badge, Text } from "@mantine/core";
import { commitOf } from "../api/commits";
import { useLanguage, useTexts } from "../i18n/texts";
import { Commit } from "../shell/Commit";
import { When } from "../shell/When";
import { revisionOf } from "./choice";
import type { Provenance, Version } from "./queries";

/** Who wrote something, when and why. */
export function Made({ by, time }: { by: Provenance; time?: string }) {
  const t = useTexts();
  const commit = commitOf(by.origin);
  return (
    <>
      <Text span size="sm">
        {time === undefined ? t("history.beforeHistory") : <When time={time} />} · {by.principal ?? t("common.unknownUser")}
      </Text>
      {commit ? <Commit hash={commit} /> : by.origin && (
        <Badge variant="default" size="sm" tt="none">
          {by.origin}
        </Badge>
      )}
      {by.message && (
        <Text size="sm" w="100%" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {by.message}
        </Text>
      )}
    </>
  );
}

/** How a version is called. */
export function useVersionLabel(): (version: Version) => string {
  const t = useTexts();
  const { language } = useLanguage();
  return (version) => {
    const named = { n: revisionOf(version), time: version.time === undefined ? t("history.beforeHistory") : new Date(version.time).toLocaleString(language) };
    return version.op === "deleted" ? t("history.versionLabelOf", { ...named, op: t("common.opDeleted") }) : t("history.versionLabel", named);
  };
}
