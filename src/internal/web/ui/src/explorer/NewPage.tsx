import { Button, FileInput, Group, Stack, Tabs, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { postDocument, readSource, type Files } from "../api/documents";
import { modelQuery } from "../api/queries";
import { changeSet } from "../api/view";
import { StageInstead } from "../changesets/StageInstead";
import { WriteProblem } from "../changesets/StageOffer";
import { Form } from "../form/Form";
import { starterOf } from "../form/starter";
import { useTexts } from "../i18n/texts";
import { parseId } from "../model/ids";
import type { Kind, Model } from "../model/kinds";
import { ButtonLink, DocumentLink } from "../shell/links";
import { MessageField } from "../shell/MessageField";
import { ProblemAlert } from "../shell/ProblemAlert";
import { usePageTitle } from "../shell/title";
import { YamlEditor } from "../yaml/lazy";
import { CheckNote } from "./CheckNote";
import { useCheck } from "./draft";

const route = getRouteApi("/explorer/new");

/** Where a document is created. The address says its kind and what it will be below. */
export function NewPage() {
  const t = useTexts();
  const { under = "", kind: name = "" } = route.useSearch();
  usePageTitle(t.newOf(name), t.explorer);
  const model = useQuery(modelQuery);
  if (model.isError) return <ProblemAlert error={model.error} />;
  if (!model.data) return <Text role="status">{t.loading}</Text>;
  const kind = model.data.kind(name);
  const collection = kind && model.data.collectionPath(kind, under);
  if (!kind || !collection) return <Text role="alert">{t.noPath}</Text>;
  return (
    <Stack>
      <Title order={1} size="h2">
        {t.newOf(kind.name)}
      </Title>
      {under !== "" && (
        <Text>
          {t.newIn("")} <DocumentLink id={under} />
        </Text>
      )}
      {kind.description && <Text c="dimmed">{kind.description}</Text>}
      <NewDocument key={collection} model={model.data} kind={kind} under={under} collection={collection} />
    </Stack>
  );
}

interface Props {
  model: Model;
  kind: Kind;
  under: string;
  collection: string;
}

function NewDocument({ model, kind, under, collection }: Props) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const starter = useMemo(() => starterOf(kind), [kind]);
  const [text, setText] = useState(starter);
  const [files, setFiles] = useState<Files>({});
  const [message, setMessage] = useState("");
  const [tried, setTried] = useState(false);
  const [view, setView] = useState("form");
  const chosen = Object.values(files).flat().map((file) => `${file.name} ${file.lastModified}`);
  const check = useCheck(`${collection} ${chosen.join(" ")}`, text, tried || text !== starter, (draft) => postDocument(collection, draft, files, { dryRun: true }));
  const create = useMutation({
    mutationFn: async (where?: string) => readSource(await postDocument(collection, text, files, { message, changeSet: where }), where),
    onSuccess: async ({ envelope }, where) => {
      await queries.invalidateQueries();
      await navigate({ to: "/explorer", search: (now) => ({ id: envelope.id, changeSet: where ?? now.changeSet }) });
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
          <Tabs.Tab value="form">{t.tabForm}</Tabs.Tab>
          <Tabs.Tab value="yaml">{t.tabYaml}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form">
          <Form text={text} kind={kind} model={model} own={parseId(under) ?? []} isNew problem={check.problem} onChange={write} />
        </Tabs.Panel>
        <Tabs.Panel value="yaml">
          <YamlEditor label={t.newOf(kind.name)} value={text} onChange={write} schema={kind.schema} marks={check.marks} height="50vh" />
        </Tabs.Panel>
      </Tabs>
      {kind.content?.map((part) => (
        <FileInput key={part.name} label={part.name} multiple clearable clearButtonProps={{ "aria-label": t.removeItem(part.name) }} withAsterisk={part.required} value={files[part.name] ?? []} maw={480}
          onChange={(list) => setFiles({ ...files, [part.name]: part.multiple ? list : list.slice(-1) })} />
      ))}
      <CheckNote check={check} brief={view === "form"} />
      <MessageField value={message} onChange={setMessage} />
      {create.isError && <WriteProblem error={create.error} onStage={create.mutateAsync} />}
      <Group>
        <Button loading={create.isPending} onClick={() => create.mutate(undefined)}>
          {changeSet() === "" ? t.create : t.stage}
        </Button>
        <StageInstead onStage={create.mutateAsync} />
        <ButtonLink variant="default" to="/explorer" search={under === "" ? {} : { id: under }}>
          {t.cancel}
        </ButtonLink>
      </Group>
    </>
  );
}
