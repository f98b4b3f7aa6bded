import { ActionIcon, Combobox, TextInput, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { kindsQuery } from "../api/access";
import { firstDocumentsQuery, type Filter } from "../api/queries";
import { useTexts } from "../i18n/texts";
import { nameOf, shortName } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { fits, scopeOf, widened, type KnownElement } from "../model/slots";
import { escapeField } from "../model/selectors";
import { CreateInPlace, belongsBelow } from "./create";

/** A kind whose documents are offered, and what their keys must have. */
export interface Candidates {
  kind: Kind;
  known: KnownElement[];
}

interface Props {
  label: string;
  description?: string;
  required?: boolean;
  error?: ReactNode;
  locked?: string; // why it cannot be changed
  model: Model;
  candidates: Candidates[];
  id?: string; // the document that is chosen
  text: string; // how it is shown
  others: string[]; // texts that can be chosen in place of a document
  without?: string[]; // names that are not offered
  onChoose: (kind: Kind, id: string) => void;
  onText?: (text: string) => void;
  onClear?: () => void;
}

const pause = 200;

/** A field that offers the documents of some kinds. What is typed narrows them: a part of a name, or a path as `r1/leaf1/`. */
export function DocumentPicker({ label, description, required, error, locked, model, candidates, id, text, others, without, onChoose, onText, onClear }: Props) {
  const t = useTexts();
  const [typed, setTyped] = useState<string>();
  const [beyond, setBeyond] = useState(0); // elements of the own key that do not narrow
  const create = useContext(CreateInPlace);
  const choose = useRef(onChoose); // what is edited may be newer once a document is created
  useEffect(() => {
    choose.current = onChoose;
  });
  const creatable = useQuery(kindsQuery).data?.create;
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption();
      setTyped(undefined);
    },
  });
  const search = typed ?? "";
  const [paused] = useDebouncedValue(search, pause);
  const groups = candidates.map(({ kind, known }) => {
    const left = widened(known, beyond);
    const base = scopeOf(model, left);
    return { kind, known: left, base, narrowable: left.some(({ from }) => from === "own"), filters: filtersFor(model, kind, left, paused) };
  });
  const answers = useQueries({ queries: groups.flatMap(({ filters }) => filters).map((filter) => ({ ...firstDocumentsQuery(filter), enabled: box.dropdownOpened })) });
  if (locked !== undefined) return <TextInput label={label} description={[description, locked].filter(Boolean).join(" · ")} error={error} readOnly variant="filled" value={text} />;
  const offered = groups.map(({ kind, known, base }) => {
    const ids = answers.flatMap(({ data }) => data?.items ?? []).filter((item) => item.kind === kind.name && fits(known, item.id)).map((item) => item.id);
    const shown = [...new Set(ids)].filter((one) => !without?.includes(nameOf(one)) && shortName(one, base).toLowerCase().includes(search.toLowerCase()));
    return { kind, known, ids: shown.sort(), base };
  });
  const texts = others.filter((one) => onText && one.toLowerCase().includes(search.toLowerCase()));
  const count = offered.reduce((sum, { ids }) => sum + ids.length, texts.length);
  const narrow = groups.find(({ narrowable }) => narrowable);
  const name = search.split("/").at(-1)?.trim() ?? "";
  const asking = answers.some(({ isLoading }) => isLoading) || paused !== search;
  const creations = asking ? [] : offered.flatMap(({ kind, known, ids, base }) => {
    const under = kind.parent === undefined ? "" : scopeOf(model, known, search);
    const taken = ids.some((one) => shortName(one, base) === search || (shortName(one, under) === name && one.startsWith(under)));
    return create && creatable?.has(kind.name) && !taken && belongsBelow(model, kind, under) ? [{ kind, under }] : [];
  });
  const submit = (option: string) => {
    if (option === widen) {
      setBeyond(beyond + 1);
      return;
    }
    const creation = creations.find(({ kind }) => option === fresh + kind.name);
    if (creation) {
      box.closeDropdown();
      create?.({ ...creation, name, onCreated: (made) => choose.current(creation.kind, made) });
      return;
    }
    const kind = offered.find(({ ids }) => ids.includes(option))?.kind;
    if (kind) onChoose(kind, option);
    else onText?.(option.slice(plainText.length));
    box.closeDropdown();
  };
  const close = onClear && (
    <ActionIcon variant="subtle" aria-label={t("common.removeItem", { name: label })} onClick={onClear}>
      ✕
    </ActionIcon>
  );
  const write = (next: string) => {
    setTyped(next);
    box.openDropdown();
    box.resetSelectedOption();
  };
  return (
    <Combobox store={box} onOptionSubmit={submit} withinPortal={false} shadow="md">
      <Combobox.Target withExpandedAttribute>
        <TextInput
          label={label} description={description} required={required} error={error} placeholder={typed === undefined ? t("form.chooseReference") : text || t("form.chooseReference")}
          value={typed ?? text} rightSection={close ?? <Combobox.Chevron />} rightSectionWidth={34} rightSectionPointerEvents={close ? "all" : "none"}
          onChange={(event) => write(event.currentTarget.value)} onFocus={(event) => event.currentTarget.select()} onClick={() => write("")} onBlur={() => box.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={label} mah={280} style={{ overflowY: "auto" }}>
          {texts.map((one) => (
            <Combobox.Option key={one} value={plainText + one}>
              {one}
            </Combobox.Option>
          ))}
          {offered.flatMap(({ kind, ids, base }) =>
            ids.map((one) => (
              <Combobox.Option key={one} value={one} active={one === id} style={{ overflowWrap: "anywhere" }}>
                {offered.length > 1 && `${kind.name}: `}
                {shortName(one, base)}
              </Combobox.Option>
            )),
          )}
          {narrow && (
            <Combobox.Option value={widen} c="dimmed" fs="italic">
              {t("form.showBeyond", { scope: narrow.base })}
            </Combobox.Option>
          )}
          {creations.map(({ kind }) => (
            <Combobox.Option key={kind.name} value={fresh + kind.name} c="dimmed" fs="italic">
              {name === "" ? t("form.createReferenced", { kind: kind.name }) : t("form.createReferencedAs", { kind: kind.name, name })}
            </Combobox.Option>
          ))}
          {count === 0 && <Combobox.Empty>{asking ? t("common.loading") : t("common.nothingFound")}</Combobox.Empty>}
        </Combobox.Options>
        {answers.some(({ data }) => data?.continue) && <Combobox.Footer fz="xs">{t("form.offersCut")}</Combobox.Footer>}
      </Combobox.Dropdown>
    </Combobox>
  );
}

/** Options that are no document: ids have no such characters. */
const widen = " widen";
const plainText = " text ";
const fresh = " new ";

/** What is asked for: the first documents below what is known and typed, and those that are called as the end of what is typed. */
function filtersFor(model: Model, kind: Kind, known: KnownElement[], typed: string): Filter[] {
  const below = { kind: kind.name, under: scopeOf(model, known, typed) };
  const name = typed.split("/").at(-1) ?? "";
  return name === "" ? [below] : [below, { ...below, fieldSelector: `metadata.name=${escapeField(name)}` }];
}
