import { ActionIcon, Button, Group, Popover, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ExplorerSearch } from "../addresses";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";
import { PageLink } from "../shell/links";
import { forgetView, isSame, longestName, saveView, savedViews, type SavedView } from "./savedviews";

interface Props {
  kind: Kind;
  search: ExplorerSearch;
}

/** The views of the kind that this browser keeps under names: one goes to them, keeps what is shown as another, and forgets them. */
export function Views({ kind, search }: Props) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={320} trapFocus withinPortal={false}>
      <Popover.Target>
        <Button variant="default" size="xs" aria-haspopup="dialog" onClick={() => setOpen(!open)}>
          {savedViews(kind.name).find((view) => isSame(view.search, search))?.name ?? t("table.views")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("table.views")}>
        <Choice kind={kind} search={search} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ kind, search, onClose }: Props & { onClose: () => void }) {
  const t = useTexts();
  const [views, setViews] = useState(() => savedViews(kind.name));
  const [name, setName] = useState("");
  const [failed, setFailed] = useState(false);
  const taken = views.some((view) => view.name === name.trim());
  const change = (act: () => void) => {
    try {
      act();
      setFailed(false);
      setViews(savedViews(kind.name));
    } catch {
      setFailed(true); // the browser keeps nothing, or has no room
    }
  };
  const save = () => {
    if (name.trim() === "") return;
    change(() => saveView({ name, search: { ...search, kind: kind.name } }));
    setName("");
  };
  return (
    <Stack gap="xs">
      {views.length === 0 ? <Text size="sm" c="dimmed">{t("table.noViews")}</Text> : views.map((view) => <View key={view.name} view={view} current={isSame(view.search, search)} onGo={onClose} onForget={() => change(() => forgetView(view))} />)}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput data-autofocus label={t("table.viewName")} value={name} maxLength={longestName} autoComplete="off" style={{ flex: 1 }} error={failed ? t("table.viewsFull") : undefined} onChange={(event) => setName(event.currentTarget.value)} />
          <Button type="submit" variant="default" disabled={name.trim() === ""}>
            {taken ? t("table.replaceView") : t("common.save")}
          </Button>
        </Group>
      </form>
      <Text size="xs" c="dimmed">
        {t("table.viewsHint")}
      </Text>
    </Stack>
  );
}

function View({ view, current, onGo, onForget }: { view: SavedView; current: boolean; onGo: () => void; onForget: () => void }) {
  const t = useTexts();
  return (
    <Group justify="space-between" wrap="nowrap">
      <PageLink to="/explorer" search={view.search} aria-current={current || undefined} fw={current ? 700 : undefined} size="sm" style={{ overflowWrap: "anywhere" }} onClick={onGo}>
        {view.name}
      </PageLink>
      <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: view.name })} onClick={onForget}>
        ✕
      </ActionIcon>
    </Group>
  );
}
