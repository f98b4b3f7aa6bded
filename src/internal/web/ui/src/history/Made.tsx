import { Badge, Text } from "@mantine/core";
import { useLanguage, useTexts } from "../i18n/texts";
import { When } from "../shell/When";
import { revisionOf } from "./choice";
import type { Provenance, Version } from "./queries";

/** Who wrote something, when and why. */
export function Made({ by, time }: { by: Provenance; time?: string }) {
  const t = useTexts();
  return (
    <>
      <Text span size="sm">
        {time === undefined ? t.beforeHistory : <When time={time} />} · {by.principal ?? t.unknownUser}
      </Text>
      {by.origin && (
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
  return (version) => t.versionLabel(revisionOf(version), version.op === "deleted" ? t.opDeleted : "", version.time === undefined ? t.beforeHistory : new Date(version.time).toLocaleString(language));
}
