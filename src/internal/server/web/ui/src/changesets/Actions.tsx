import { Button, Group, Stack, Text, TextInput, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { CreateDialog } from "./CreateDialog";
import { changeSetsKey, deleteChangeSet, describeChangeSet, moveChangeSet, type ChangeSet } from "./queries";
import { titleOf } from "./review";
import { useFrozen } from "./rights";
import { useView } from "./view";

const route = getRouteApi("/change-sets");

/** What can be done with a change set beside merging it. */
export function Actions({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const enter = useView();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { changeSet: current } = route.useSearch();
  const [dialog, setDialog] = useState<"edit" | "delete" | "revert">();
  const { name, state } = changeSet;
  const move = useMutation({ mutationFn: (to: "close" | "reopen") => moveChangeSet(name, to), onSuccess: () => queries.invalidateQueries({ queryKey: changeSetsKey }) });
  const frozen = useFrozen(name);
  const close = () => setDialog(undefined);
  return (
    <>
      <Group gap="xs">
        {state === "open" && current !== name && (
          <Button size="xs" variant="default" onClick={() => enter(name)}>
            {t("changesets.workInChangeSet")}
          </Button>
        )}
        {state !== "merged" && (
          <ReasonButton size="xs" reason={frozen.update} variant="default" onClick={() => setDialog("edit")}>
            {t("changesets.editAbout")}
          </ReasonButton>
        )}
        {state !== "merged" && (
          <ReasonButton size="xs" reason={frozen.update} variant="default" loading={move.isPending} onClick={() => move.mutate(state === "open" ? "close" : "reopen")}>
            {state === "open" ? t("changesets.closeChangeSet") : t("changesets.reopenChangeSet")}
          </ReasonButton>
        )}
        {state === "merged" && (
          <ReasonButton size="xs" reason={frozen.revert} variant="default" onClick={() => setDialog("revert")}>
            {t("changesets.revertChangeSet")}
          </ReasonButton>
        )}
        {state !== "merged" && (
          <ReasonButton size="xs" reason={frozen.delete} variant="outline" color="red" onClick={() => setDialog("delete")}>
            {t("common.delete")}
          </ReasonButton>
        )}
      </Group>
      {move.isError && <ProblemAlert error={move.error} />}
      {dialog === "edit" && <EditDialog changeSet={changeSet} onClose={close} />}
      {dialog === "delete" && <DeleteDialog changeSet={changeSet} onClose={close} />}
      {dialog === "revert" && <CreateDialog reverts={changeSet} onClose={close} onCreated={(created) => void navigate({ search: { name: created.name } })} />}
    </>
  );
}

interface Props {
  changeSet: ChangeSet;
  onClose: () => void;
}

function EditDialog({ changeSet, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const [about, setAbout] = useState({ title: changeSet.title ?? "", description: changeSet.description ?? "" });
  const save = useMutation({
    mutationFn: () => describeChangeSet(changeSet, about),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: changeSetsKey });
      onClose();
    },
  });
  return (
    <Dialog title={t("changesets.editAbout")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <TextInput label={t("changesets.changeSetTitle")} value={about.title} required data-autofocus onChange={(event) => setAbout({ ...about, title: event.currentTarget.value })} />
          <Textarea label={t("changesets.description")} value={about.description} autosize minRows={3} maxRows={16} onChange={(event) => setAbout({ ...about, description: event.currentTarget.value })} />
          {save.isError && <ProblemAlert error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t("common.cancel")}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={about.title.trim() === ""}>
              {t("common.save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function DeleteDialog({ changeSet, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const { changeSet: current } = route.useSearch();
  const remove = useMutation({
    mutationFn: () => deleteChangeSet(changeSet.name),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: [...changeSetsKey, changeSet.name] });
      await navigate({ search: { changeSet: current === changeSet.name ? undefined : current } });
      await queries.invalidateQueries({ queryKey: changeSetsKey });
    },
  });
  return (
    <Dialog title={t("common.deleteTitle", { name: titleOf(changeSet) })} onClose={onClose}>
      <Stack>
        <Text>{t("changesets.deleteChangeSetText")}</Text>
        {remove.isError && <ProblemAlert error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t("changesets.deleteChangeSet")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
