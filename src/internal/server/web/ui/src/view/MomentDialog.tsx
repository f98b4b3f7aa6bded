import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { serverNow } from "../api/clock";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { isoOf, localOf } from "../history/choice";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Asks for a moment of the past: one of a few that are asked for often, or any. */
export function MomentDialog({ onChoose, onClose }: { onChoose: (asOf: string) => void; onClose: () => void }) {
  const t = useTexts();
  const [now] = useState(serverNow);
  const [time, setTime] = useState(() => localOf(new Date(now - (now % minute) - hour).toISOString()));
  const asOf = isoOf(time);
  const wrong = asOf === undefined ? t("view.noTime") : Date.parse(asOf) > now ? t("view.future") : undefined;
  const before = (past: number) => onChoose(new Date(now - past).toISOString());
  return (
    <Dialog title={t("view.momentTitle")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (asOf !== undefined && wrong === undefined) onChoose(asOf);
        }}
      >
        <Stack>
          <Text size="sm">{t("view.momentText")}</Text>
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => before(hour)}>{t("view.hourAgo")}</Button>
            <Button variant="default" size="xs" onClick={() => before(day)}>{t("view.dayAgo")}</Button>
            <Button variant="default" size="xs" onClick={() => before(7 * day)}>{t("view.weekAgo")}</Button>
          </Group>
          <TextInput type="datetime-local" label={t("view.time")} data-autofocus value={time} error={wrong} onChange={(event) => setTime(event.currentTarget.value)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>{t("common.cancel")}</Button>
            <Button type="submit" disabled={wrong !== undefined}>{t("view.show")}</Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
