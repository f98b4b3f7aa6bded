import { Badge } from "@mantine/core";
import { useTexts } from "../i18n/texts";

/** Of each kind of change its colour and its sign, so that the colour is not all that tells them apart. */
const looks = { added: ["green", "+"], removed: ["red", "−"], changed: ["yellow", "~"], moved: ["blue", "↕"], created: ["green", "+"], updated: ["yellow", "~"], deleted: ["red", "−"] } as const;

/** What became of something, in colour, by a sign and in words. */
export function ChangeBadge({ change }: { change: keyof typeof looks }) {
  const t = useTexts();
  const [color, sign] = looks[change];
  const word = { added: t("common.added"), removed: t("common.removed"), changed: t("common.changed"), moved: t("shell.moved"), created: t("common.opCreated"), updated: t("common.opUpdated"), deleted: t("common.opDeleted") }[change];
  return (
    <Badge color={color} variant="outline" tt="none" miw="max-content" c="var(--mantine-color-text)">
      {sign} {word}
    </Badge>
  );
}
