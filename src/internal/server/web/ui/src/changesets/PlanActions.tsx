import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import { ReasonButton } from "../shell/ReasonButton";
import { StageInstead } from "./StageInstead";
import { WriteProblem } from "./StageOffer";

interface Props {
  error: unknown;
  problem?: ReactNode; // how the error is shown, if not as others
  ready: boolean; // the plan is known, and confirmed
  direct?: string; // why it can be done in a change set only
  where?: string; // the change set that the dialog goes on in
  doing: boolean;
  color?: string;
  children: ReactNode; // what the button says
  onDo: () => void;
  onStage: (changeSet: string) => Promise<unknown>;
  onCancel: () => void;
}

/** The end of a dialog that plans before it writes: what is in the way, and how to do it at once or in a change set. */
export function PlanActions({ error, problem, ready, direct, where, doing, color, children, onDo, onStage, onCancel }: Props) {
  const t = useTexts();
  return (
    <>
      {where !== undefined && <Text role="status">{t("changesets.goesOnIn", { name: where })}</Text>}
      {Boolean(error) && (problem ?? <WriteProblem error={error} onStage={onStage} />)}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t("common.cancel")}
        </Button>
        {where === undefined && <StageInstead disabled={direct === undefined && !ready} onStage={onStage} />}
        <ReasonButton color={color} reason={direct} loading={doing} disabled={direct === undefined && !ready} onClick={onDo}>
          {children}
        </ReasonButton>
      </Group>
    </>
  );
}
