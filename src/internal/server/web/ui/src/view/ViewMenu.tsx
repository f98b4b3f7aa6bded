import { Button, Menu, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { problemOf } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { servicesQuery } from "../api/services";
import { CreateDialog } from "../changesets/CreateDialog";
import { changeSetsQuery } from "../changesets/queries";
import { titleOf } from "../changesets/review";
import { useView } from "../changesets/view";
import { MomentDialog } from "./MomentDialog";
import { useEnterMoment, useMomentText } from "./moment";
import classes from "../changesets/ChangeSets.module.css";

/** Chooses what the page shows: what is stored, a change set that is open, or a moment of the past. */
export function ViewMenu({ current, asOf }: { current: string; asOf: string }) {
  const t = useTexts();
  const router = useRouter();
  const enter = useView();
  const enterMoment = useEnterMoment();
  const textOf = useMomentText();
  const [open, setOpen] = useState<"create" | "moment">();
  const hasChangeSets = useQuery(servicesQuery).data?.has("changeset") !== false;
  const stored = current === "" && asOf === "";
  const shown = current !== "" ? current : asOf !== "" ? textOf(asOf) : t("view.storedState");
  return (
    <>
      <Menu position="bottom-end" width={320} withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button variant="default" size="xs" miw="max-content" aria-label={t("view.viewIs", { name: shown })}>
            <Text span size="xs" maw={140} truncate>
              {shown}
            </Text>
            <span aria-hidden>&nbsp;▾</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item aria-current={stored || undefined} fw={stored ? 700 : undefined} onClick={() => enter(undefined)}>
            {t("view.storedState")}
          </Menu.Item>
          <Menu.Item aria-current={asOf !== "" || undefined} fw={asOf === "" ? undefined : 700} onClick={() => setOpen("moment")}>
            {t("view.moment")}
          </Menu.Item>
          {hasChangeSets && (
            <>
              <Menu.Divider />
              <Choices current={current} onChoose={enter} />
              <Menu.Divider />
              <Menu.Item onClick={() => setOpen("create")}>{t("changesets.newChangeSet")}</Menu.Item>
              <Menu.Item onClick={() => void router.navigate({ to: "/change-sets", search: {} })}>{t("common.allChangeSets")}</Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === "moment" && (
        <MomentDialog onClose={() => setOpen(undefined)}
          onChoose={(moment) => {
            setOpen(undefined);
            enterMoment(moment);
          }} />
      )}
      {open === "create" && (
        <CreateDialog onClose={() => setOpen(undefined)}
          onCreated={({ name }) => {
            setOpen(undefined);
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
