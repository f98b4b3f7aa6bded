import { Badge } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import type { State } from "./queries";

const looks = { open: ["green", "○"], merged: ["violet", "✓"], closed: ["gray", "✕"] } as const;

/** The state of a change set, in colour, by a sign and in words. */
export function StateBadge({ state }: { state: State }) {
  const t = useTexts();
  const [color, sign] = looks[state];
  return (
    <Badge color={color} variant="outline" tt="none" miw={88} c="var(--mantine-color-text)">
      <span aria-hidden>{sign}</span> {{ open: t("changesets.stateOpen"), merged: t("changesets.stateMerged"), closed: t("changesets.stateClosed") }[state]}
    </Badge>
  );
}
