import { ActionIcon, Kbd, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Keyboard } from "lucide-react";
import { Fragment, useEffect, useEffectEvent, useRef, useState } from "react";
import { kindsQuery } from "../api/access";
import { servicesQuery } from "../api/services";
import { mayAuditQuery } from "../audit/queries";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { pagesOf } from "../shell/pages";
import { focusFilter, isTyping, moveBy } from "./focus";
import { Sequence, keyOf } from "./keys";
import { allShortcuts, useShortcuts, type Shortcut } from "./registry";

/** Listens to the keys that do something on every page, and on the one that is shown; the button lists them. */
export function Shortcuts() {
  const t = useTexts();
  const router = useRouter();
  const services = useQuery(servicesQuery).data;
  const readable = useQuery(kindsQuery).data?.read;
  const audit = useQuery(mayAuditQuery).data;
  const [listed, setListed] = useState<Shortcut[]>();
  const sequence = useRef(new Sequence());
  useShortcuts([
    { keys: "j", label: t("keyboard.next"), act: () => moveBy(1) },
    { keys: "k", label: t("keyboard.previous"), act: () => moveBy(-1) },
    { keys: "/", label: t("keyboard.filter"), act: focusFilter },
    { keys: "?", label: t("keyboard.title"), act: () => setListed(allShortcuts()) },
    ...pagesOf(t, services, readable, audit).map(({ to, label, letter }) => ({ keys: `g ${letter}`, label, act: () => void router.navigate({ to, search: {} }) })),
  ]);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return;
    const all = allShortcuts();
    const keys = sequence.current.read(keyOf(event), all.map((shortcut) => shortcut.keys), event.timeStamp);
    if (keys === undefined) return;
    event.preventDefault();
    all.find((shortcut) => shortcut.keys === keys)?.act();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <ActionIcon variant="default" size="md" visibleFrom="sm" aria-label={t("keyboard.title")} aria-keyshortcuts="?" onClick={() => setListed(allShortcuts())}>
        <Keyboard size={16} aria-hidden />
      </ActionIcon>
      {listed && <List shortcuts={listed} onClose={() => setListed(undefined)} />}
    </>
  );
}

function List({ shortcuts, onClose }: { shortcuts: Shortcut[]; onClose: () => void }) {
  const t = useTexts();
  const more = [
    { keys: "Ctrl+K", label: t("keyboard.palette") },
    { keys: "Enter", label: t("keyboard.open") },
  ];
  return (
    <Dialog title={t("keyboard.title")} size="md" onClose={onClose}>
      <Table>
        <Table.Tbody>
          {[...more, ...shortcuts].map(({ keys, label }) => (
            <Table.Tr key={keys}>
              <Table.Td w={120}>
                {keys.split(" ").map((key, i) => (
                  <Fragment key={key + String(i)}>
                    {i > 0 && " "}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </Table.Td>
              <Table.Td>{label}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
