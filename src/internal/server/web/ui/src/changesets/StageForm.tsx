import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { changeSetsQuery, createChangeSet } from "./queries";
import { nameFor, titleOf } from "./review";

interface Props {
  onStage: (changeSet: string) => Promise<unknown>; // does a write in a change set
}

/** Asks for a change set, one that is open or a new one, and stages a write in it. */
export function StageForm({ onStage }: Props) {
  const t = useTexts();
  const [chosen, setChosen] = useState("");
  const [title, setTitle] = useState("");
  const list = useInfiniteQuery({ ...changeSetsQuery({ state: "open" }), staleTime: 0 });
  const open = list.data?.pages.flatMap((page) => page.items) ?? [];
  const stage = useMutation({
    mutationFn: async () => {
      let name = chosen;
      if (name === "") {
        name = (await createChangeSet(nameFor(title), { title: title.trim(), description: "" })).name;
        setChosen(name); // tried again, it is not created twice
        await list.refetch();
      }
      await onStage(name);
    },
  });
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <NativeSelect size="xs" label={t("changesets.changeSet")} value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}
          data={[{ value: "", label: t("changesets.newChangeSet") }, ...open.map((changeSet) => ({ value: changeSet.name, label: titleOf(changeSet) }))]} />
        {chosen === "" && <TextInput size="xs" label={t("changesets.changeSetTitle")} value={title} onChange={(event) => setTitle(event.currentTarget.value)} />}
        <Button size="xs" loading={stage.isPending} disabled={chosen === "" && nameFor(title) === ""} onClick={() => stage.mutate()}>
          {t("changesets.stageThere")}
        </Button>
      </Group>
      {stage.isError && <ProblemAlert error={stage.error} />}
    </Stack>
  );
}
