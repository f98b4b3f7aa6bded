import { Button, Menu, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { problemOf } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { CreateDialog } from "./CreateDialog";
import { changeSetsQuery } from "./queries";
import { titleOf } from "./review";
import { useView } from "./view";
import classes from "./ChangeSets.module.css";

/** Chooses what the page works in: what is stored, or a change set that is open. */
export function ChangeSetMenu({ current }: { current: string }) {
  const t = useTexts();
  const router = useRouter();
  const enter = useView();
  const [creating, setCreating] = useState(false);
  const shown = current === "" ? t("changesets.storedState") : current;
  return (
    <>
      <Menu position="bottom-end" width={320} withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" size="xs" miw="max-content" aria-label={t("changesets.viewIs", { name: shown })}>
            <Text span size="xs" maw={140} truncate>
              {shown}
            </Text>
            <span aria-hidden>&nbsp;▾</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item aria-current={current === "" || undefined} fw={current === "" ? 700 : undefined} onClick={() => enter(undefined)}>
            {t("changesets.storedState")}
          </Menu.Item>
          <Menu.Divider />
          <Choices current={current} onChoose={enter} />
          <Menu.Divider />
          <Menu.Item onClick={() => setCreating(true)}>{t("changesets.newChangeSet")}</Menu.Item>
          <Menu.Item onClick={() => void router.navigate({ to: "/change-sets", search: {} })}>{t("common.allChangeSets")}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {creating && (
        <CreateDialog onClose={() => setCreating(false)}
          onCreated={({ name }) => {
            setCreating(false);
            enter(name);
          }} />
      )}
    </>
  );
}

/** The open change sets, read when the menu is opened. */
function Choices({ current, onChoose }: { current: string; onChoose: (name: string) => void }) {
  const t = useTexts();
  const list = useInfiniteQuery({ ...changeSetsQuery({ state: "open" }), staleTime: 0 });
  const open = list.data?.pages.flatMap((page) => page.items) ?? [];
  if (list.isError) return <Menu.Label>{problemOf(list.error).detail}</Menu.Label>;
  if (list.isPending) return <Menu.Label>{t("common.loading")}</Menu.Label>;
  if (open.length === 0) return <Menu.Label>{t("common.noOpenChangeSets")}</Menu.Label>;
  return (
    <div className={classes.choices}>
      {open.map(({ name, ...rest }) => (
        <Menu.Item key={name} aria-current={name === current || undefined} fw={name === current ? 700 : undefined} onClick={() => onChoose(name)}>
          {titleOf({ name, ...rest })}
          <Text span size="xs" c="dimmed" display="block">
            {name}
          </Text>
        </Menu.Item>
      ))}
    </div>
  );
}
