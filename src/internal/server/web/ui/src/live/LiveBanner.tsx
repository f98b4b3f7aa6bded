import { Alert, Button, Group, Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { When } from "../shell/When";
import type { LiveChange } from "./live";

interface Props {
  change: LiveChange;
  edited: boolean; // there is input that is not saved
  onMerge?: () => void;
  onClose: () => void;
}

/** Says that another user changed the document that is open. What is being written stays, and can be merged. */
export function LiveBanner({ change, edited, onMerge, onClose }: Props) {
  const t = useTexts();
  const who = change.principal ?? t("live.anotherUser");
  const text = { created: t("live.createdBy", { who }), updated: t("live.changedBy", { who }), deleted: t("live.deletedBy", { who }) }[change.op];
  return (
    <Alert color={edited || change.op === "deleted" ? "yellow" : "blue"} role="status" p="xs">
      <Group gap="xs" justify="space-between">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {text} <When time={change.time} />
          {change.message && `: ${change.message}`}
          {". "}
          {edited ? t("live.inputStays") : change.op === "deleted" ? t("live.lastVersionShown") : t("live.shownNow")}
        </Text>
        <Group gap="xs">
          {edited && onMerge && (
            <Button size="compact-sm" variant="default" onClick={onMerge}>
              {t("live.mergeChanges")}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onClose}>
            {t("common.close")}
          </Button>
        </Group>
      </Group>
    </Alert>
  );
}
