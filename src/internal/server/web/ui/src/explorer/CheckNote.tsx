import { List, Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import type { Check } from "./check";

const most = 50; // findings that are listed

/** What the check of a draft says, in words; briefly where a form has it at its fields. */
export function CheckNote({ check, brief = false }: { check: Check; brief?: boolean }) {
  const t = useTexts();
  const said = check.state === "checking" ? t("common.checking") : check.state === "failed" ? t("explorer.checkFailedToRun") : check.state === "idle" ? "" : check.marks.length === 0 ? t("explorer.checkedByServer") : t("common.findings", { n: check.marks.length });
  return (
    <div role="status" aria-live="polite">
      <Text size="sm" c={check.marks.length > 0 ? "var(--mantine-color-error)" : undefined}>
        {said}
      </Text>
      {check.marks.length > 0 && !brief && (
        <List size="sm">
          {check.marks.slice(0, most).map((mark) => (
            <List.Item key={`${mark.from} ${mark.message}`}>{mark.message}</List.Item>
          ))}
          {check.marks.length > most && <List.Item>{t("explorer.furtherFindings", { n: check.marks.length - most })}</List.Item>}
        </List>
      )}
    </div>
  );
}
