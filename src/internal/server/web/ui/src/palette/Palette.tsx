import { Badge, Modal, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useId, useState, type KeyboardEvent } from "react";
import { problemOf } from "../api/problem";
import { moment } from "../api/view";
import { useTexts } from "../i18n/texts";
import { KindIcon } from "../shell/KindIcon";
import { useSections, type Entry } from "./entries";
import classes from "./Palette.module.css";

/** Finds documents, kinds, pages and actions while one types. The keyboard alone will do: arrows choose, Enter goes, Escape closes. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useTexts();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const { sections, fitting, partial, pending, error } = useSections(text.trim());
  const ids = useId();
  const entries = sections.flatMap((section) => section.entries);
  const at = Math.min(chosen, entries.length - 1);
  const optionId = (entry: Entry) => `${ids}-${entries.indexOf(entry)}`;
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + page, entries.length - 1), PageUp: Math.max(at - page, 0) };
    const next = steps[event.key];
    if (event.key === "Enter" && !event.nativeEvent.isComposing) go(entries[at]);
    else if (next !== undefined && entries.length > 0) setChosen((next + entries.length) % entries.length);
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="10vh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t("palette.palette")}>
        <Modal.Body p={0}>
          <TextInput data-autofocus ref={focus} role="combobox" aria-label={t("palette.palette")} aria-expanded aria-controls={`${ids}-list`} aria-activedescendant={at >= 0 ? `${ids}-${at}` : undefined} aria-autocomplete="list"
            size="lg" variant="unstyled" px="md" placeholder={t("palette.paletteHint")} value={text} autoComplete="off" spellCheck={false} maxLength={longest}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown} />
          <ScrollArea.Autosize mah="60vh" className={classes.results} viewportProps={{ tabIndex: -1 }}>
            <div id={`${ids}-list`} role="listbox" aria-label={t("common.results")} data-query={text.trim()} aria-busy={pending}>
              {sections.map(({ title, entries: those }) => (
                <div key={title} role="group" aria-label={title}>
                  <div className={classes.title} aria-hidden>
                    {title}
                  </div>
                  {those.map((entry) => (
                    <UnstyledButton key={entry.key} id={optionId(entry)} role="option" tabIndex={-1} aria-selected={entries[at] === entry} className={classes.entry} ref={entries[at] === entry ? reveal : undefined}
                      onMouseMove={() => setChosen(entries.indexOf(entry))} onMouseDown={(event) => event.preventDefault()} onClick={() => go(entry)}>
                      {entry.kind && <KindIcon kind={entry.kind} size={14} />}
                      <span className={classes.label}>{entry.label}</span>
                      {entry.note && <span className={classes.note}>{entry.note}</span>}
                      {entry.kind && (
                        <Badge variant="outline" tt="none" radius="sm" size="sm" c="var(--mantine-color-text)" className={classes.kind}>
                          {entry.kind}
                        </Badge>
                      )}
                    </UnstyledButton>
                  ))}
                </div>
              ))}
            </div>
            <Text role="status" size="sm" px="md" c="dimmed">
              {error ? problemOf(error).detail : fitting ? "" : pending ? t("common.loading") : t("common.nothingFound")}
            </Text>
            {moment() !== "" && (
              <Text size="sm" px="md" c="dimmed">
                {t("palette.paletteNow")}
              </Text>
            )}
            {partial && (
              <Text size="sm" px="md" c="dimmed">
                {t("palette.palettePartial")}
              </Text>
            )}
          </ScrollArea.Autosize>
          <Text size="xs" c="dimmed" px="md" py={6} className={classes.keys}>
            {t("palette.paletteKeys")}
          </Text>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Takes the focus at once, so that no key is lost. */
function focus(input: HTMLElement | null): void {
  input?.focus();
}

/** Scrolls as far as needed to show an option. */
function reveal(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}

const page = 8; // how far PageDown goes
const longest = 50; // characters, which are at most 200 bytes
