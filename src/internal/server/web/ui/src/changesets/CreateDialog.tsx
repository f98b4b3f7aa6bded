import { Button, Group, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { changeSetsKey, createChangeSet, revertChangeSet, type ChangeSet } from "./queries";
import { nameFor, titleOf } from "./review";

interface Props {
  reverts?: ChangeSet; // the merged one that the new one undoes
  onCreated: (changeSet: ChangeSet) => void;
  onClose: () => void;
}

/** Asks what a change set is for, and creates it: empty, or with what undoes a merged one. */
export function CreateDialog({ reverts, onCreated, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const [title, setTitle] = useState(reverts ? t("changesets.revertOf", { title: titleOf(reverts) }) : "");
  const [named, setNamed] = useState(reverts ? nameFor(`revert-${reverts.name}`) : undefined);
  const [description, setDescription] = useState("");
  const name = named ?? nameFor(title);
  const create = useMutation({
    mutationFn: () => (reverts ? revertChangeSet(reverts.name, name, title.trim()) : createChangeSet(name, { title: title.trim(), description: description.trim() })),
    onSuccess: async (changeSet) => {
      await queries.invalidateQueries({ queryKey: changeSetsKey });
      onCreated(changeSet);
    },
  });
  return (
    <Dialog title={reverts ? t("changesets.revertChangeSet") : t("changesets.newChangeSet")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Stack>
          <Text size="sm">{reverts ? t("changesets.revertChangeSetText") : t("changesets.newChangeSetText")}</Text>
          <TextInput label={t("changesets.changeSetTitle")} value={title} required data-autofocus onChange={(event) => setTitle(event.currentTarget.value)} />
          <TextInput label={t("changesets.changeSetName")} description={t("changesets.changeSetNameHint")} value={name} required onChange={(event) => setNamed(event.currentTarget.value)} />
          {!reverts && <Textarea label={t("changesets.description")} value={description} autosize minRows={3} maxRows={12} onChange={(event) => setDescription(event.currentTarget.value)} />}
          {create.isError && <ProblemAlert error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={create.isPending} disabled={title.trim() === "" || name.trim() === ""}>
              {t("common.create")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
