import { Button, FileInput, Group, Tabs } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { postDocument, readSource, type Files } from "../api/documents";
import { changeSet, inView } from "../api/view";
import { useProtection } from "../changesets/protection";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { Form } from "../form/Form";
import { starterOf } from "../form/starter";
import { useTexts } from "../i18n/texts";
import { formatId, parseId } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { MessageField } from "../shell/MessageField";
import { useKept } from "../shell/kept";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnly } from "../view/moment";
import { YamlEditor } from "../yaml/lazy";
import { readYaml } from "../yaml/merge";
import { CheckNote } from "./CheckNote";
import { useCheck } from "./check";
import { useReferenceHelp } from "./references";

interface Props {
  model: Model;
  kind: Kind;
  under: string;
  collection: string;
  name?: string; // what it is called at first
  inPlace?: boolean; // within the edit of another document, which goes on
  cancel: ReactNode;
  onCreated: (id: string, changeSet?: string) => Promise<void>;
}

/** The form for a new document, as fields or as text. */
export function NewDocument({ model, kind, under, collection, name = "", inPlace = false, cancel, onCreated }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const past = useReadOnly();
  const starter = useMemo(() => starterOf(kind, name), [kind, name]);
  const [kept, setKept] = useKept<string>(inPlace || kind.sensitive ? undefined : `new ${inView(collection)}`);
  const text = kept ?? starter;
  const setText = (next: string) => setKept(next === starter ? undefined : next);
  const [files, setFiles] = useState<Files>({});
  const [message, setMessage] = useState("");
  const [tried, setTried] = useState(false);
  const [view, setView] = useState("form");
  const chosen = Object.values(files).flat().map((file) => `${file.name} ${file.lastModified}`);
  const check = useCheck(`${collection} ${chosen.join(" ")}`, text, past === undefined && (tried || text !== starter), (draft) => postDocument(collection, draft, files, { dryRun: true }));
  const references = useReferenceHelp(model, kind, parseId(under) ?? []);
  const [named] = useDebouncedValue(text, 400);
  const id = useMemo(() => newId(kind, under, named), [kind, under, named]);
  const direct = useProtection(id === undefined ? [] : [id]);
  const create = useMutation({
    mutationFn: async (where?: string) => readSource(await postDocument(collection, text, files, { message, changeSet: where }), where),
    onSuccess: async ({ envelope }, where) => {
      setText(starter);
      await queries.invalidateQueries();
      await onCreated(envelope.id, where);
    },
    onError: () => setTried(true),
  });
  /** What the server said about another text says nothing about this one. */
  const write = (next: string) => {
    if (next !== text) create.reset();
    setText(next);
  };
  return (
    <>
      <Tabs value={view} onChange={(next) => setView(next ?? "form")} keepMounted={false}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="form">{t("explorer.tabForm")}</Tabs.Tab>
          <Tabs.Tab value="yaml">{t("common.tabYaml")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form">
          <Form text={text} kind={kind} model={model} own={parseId(under) ?? []} isNew problem={check.problem} onChange={write} />
        </Tabs.Panel>
        <Tabs.Panel value="yaml">
          <YamlEditor label={t("common.newOf", { kind: kind.name })} value={text} onChange={write} schema={kind.schema} references={references} marks={check.marks} height="50vh" />
        </Tabs.Panel>
      </Tabs>
      {kind.content?.map((part) => (
        <FileInput key={part.name} label={part.name} multiple clearable clearButtonProps={{ "aria-label": t("common.removeItem", { name: part.name }) }} withAsterisk={part.required} value={files[part.name] ?? []} maw={480}
          onChange={(list) => setFiles({ ...files, [part.name]: part.multiple ? list : list.slice(-1) })} />
      ))}
      <CheckNote check={check} brief={view === "form"} />
      <MessageField value={message} onChange={setMessage} />
      {create.isError && <WriteProblem error={create.error} onStage={inPlace ? undefined : create.mutateAsync} />}
      <Group>
        <ReasonButton reason={past ?? direct} loading={create.isPending} onClick={() => create.mutate(undefined)}>
          {changeSet() === "" ? t("common.create") : t("common.stage")}
        </ReasonButton>
        {!inPlace && <StageInstead onStage={create.mutateAsync} />}
        {!inPlace && text !== starter && (
          <Button variant="default" onClick={() => write(starter)}>
            {t("explorer.discard")}
          </Button>
        )}
        {cancel}
      </Group>
    </>
  );
}

/** The id that a new document would get; undefined while its text gives it no name. */
function newId(kind: Kind, under: string, text: string): string | undefined {
  const name: unknown = readYaml(text).getIn(["metadata", "name"]);
  return typeof name === "string" && name !== "" ? formatId([...(parseId(under) ?? []), { name: kind.name, value: name }]) : undefined;
}
