import { Button, Group, Stack, Text } from "@mantine/core";
import { changeSet } from "../api/view";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { ReasonButton } from "../shell/ReasonButton";
import { YamlDiff } from "../yaml/lazy";

interface Props {
  before: string;
  after: string;
  message: string;
  saving: boolean;
  error: Error | null;
  direct?: string; // why it can be saved in a change set only
  onMessage: (message: string) => void;
  onStage: (changeSet: string) => Promise<unknown>;
  onSave: () => void;
  onClose: () => void;
}

/** Shows what a save would change, before it does. */
export function ReviewDialog({ before, after, message, saving, error, direct, onMessage, onStage, onSave, onClose }: Props) {
  const t = useTexts();
  return (
    <Dialog title={changeSet() === "" ? t("explorer.reviewTitle") : t("explorer.reviewStageTitle")} size="80%" onClose={onClose}>
      <Stack>
        {before === after ? <Text>{t("explorer.noChanges")}</Text> : <YamlDiff before={before} after={after} beforeLabel={t("common.reviewBefore")} afterLabel={t("explorer.reviewAfter")} />}
        {before !== after && <MessageField value={message} onChange={onMessage} />}
        {error && <WriteProblem error={error} onStage={onStage} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <StageInstead disabled={before === after} onStage={onStage} />
          <ReasonButton reason={direct} loading={saving} disabled={direct === undefined && before === after} onClick={onSave}>
            {changeSet() === "" ? t("common.save") : t("common.stage")}
          </ReasonButton>
        </Group>
      </Stack>
    </Dialog>
  );
}
