import { Button, Popover } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { servicesQuery } from "../api/services";
import { changeSet, moment } from "../api/view";
import { useTexts } from "../i18n/texts";
import { StageForm } from "./StageForm";

interface Props {
  disabled?: boolean;
  onStage: (changeSet: string) => Promise<unknown>; // does in a change set what the button beside does at once
}

/** The way to stage a write instead of doing it at once. Where the page works in a change set, all writes are staged already; and a server need not have change sets. */
export function StageInstead({ disabled, onStage }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const runs = useQuery(servicesQuery).data?.has("changeset") === true;
  if (!runs || changeSet() !== "" || moment() !== "") return null;
  const stage = async (name: string) => {
    await onStage(name);
    setOpen(false);
  };
  return (
    <Popover opened={open} onChange={setOpen} position="top-end" width={340} trapFocus withArrow shadow="md">
      <Popover.Target>
        <Button variant="default" disabled={disabled} onClick={() => setOpen(!open)}>
          {t("changesets.addToChangeSet")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("changesets.addToChangeSet")}>
        <StageForm onStage={stage} />
      </Popover.Dropdown>
    </Popover>
  );
}
