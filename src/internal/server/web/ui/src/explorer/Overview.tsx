import { Alert, Badge, Button, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { serverNow } from "../api/clock";
import type { Source } from "../api/documents";
import { relativesQuery } from "../api/queries";
import { changeSet, moment } from "../api/view";
import { countsBelowQuery } from "../home/queries";
import { defectsQuery } from "../home/scrub";
import { useLanguage, useTexts } from "../i18n/texts";
import { parseExact } from "../model/exact";
import type { Kind, Model } from "../model/kinds";
import { KindIcon } from "../shell/KindIcon";
import { DocumentLink, PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { factsOf } from "./facts";
import classes from "./Document.module.css";

interface Props {
  model: Model;
  kind: Kind;
  id: string;
  path: string;
  source: Source;
  onOpen: (tab: string) => void;
}

/** What matters of a document: its values, what it refers to and is used by, and how many documents are below it. */
export function Overview({ model, kind, id, path, source, onOpen }: Props) {
  const t = useTexts();
  return (
    <Stack gap="md">
      <Defects id={id} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Stack gap="md">
          <Part title={t("explorer.values")}>
            <Facts kind={kind} source={source} onOpen={onOpen} />
          </Part>
          <Labels kind={kind} labels={source.envelope.data.metadata?.labels ?? {}} />
        </Stack>
        <Stack gap="md">
          {model.childKinds(kind).length > 0 && (
            <Part title={t("common.children")}>
              <Below model={model} kind={kind} id={id} />
            </Part>
          )}
          <Related path={path} view="references" title={t("explorer.refersTo")} onOpen={onOpen} />
          <Related path={path} view="referrers" title={t("explorer.usedBy")} onOpen={onOpen} />
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6} component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

/** What the last scrub found wrong with the document, of what is stored now. */
function Defects({ id }: { id: string }) {
  const t = useTexts();
  const found = useQuery({ ...defectsQuery, enabled: changeSet() === "" && moment() === "" }).data?.documents.find((defect) => defect.id === id);
  if (!found) return null;
  return (
    <Alert color="red" title={t("explorer.defects")}>
      {found.messages.map((message) => (
        <Text key={message} size="sm">
          {message}
        </Text>
      ))}
    </Alert>
  );
}

function Facts({ kind, source, onOpen }: Pick<Props, "kind" | "source" | "onOpen">) {
  const t = useTexts();
  const [now] = useState(() => new Date(serverNow()));
  const { envelope, json } = source;
  const facts = useMemo(() => {
    const { data, status } = (json === undefined ? envelope : parseExact(json)) as { data: Record<string, unknown>; status?: unknown };
    return factsOf(kind, { ...data, status }, now);
  }, [kind, envelope, json, now]);
  if (facts.length === 0) return <Text size="sm" c="dimmed">{t("explorer.noValues")}</Text>;
  return (
    <Table withRowBorders={false} verticalSpacing={3} horizontalSpacing={0} className={classes.facts}>
      <Table.Tbody>
        {facts.map(({ name, text, members }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>
              {members === undefined ? (
                text
              ) : (
                <Button variant="subtle" size="compact-xs" onClick={() => onOpen("yaml")}>
                  {t("explorer.members", { n: members })}
                </Button>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The labels, each a way to the documents of the kind that have it. */
function Labels({ kind, labels }: { kind: Kind; labels: Record<string, string> }) {
  const t = useTexts();
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <Part title={t("explorer.byLabels")}>
      <Group gap={6}>
        {entries.map(([name, value]) => (
          <PageLink key={name} to="/explorer" search={{ kind: kind.name, labels: `${name}=${value}` }} size="sm" className={classes.label}>
            {name}={value}
          </PageLink>
        ))}
      </Group>
    </Part>
  );
}

/** The kinds below a document with their numbers, each a way to its table. Their numbers are of what is stored now. */
function Below({ model, kind, id }: Pick<Props, "model" | "kind" | "id">) {
  const t = useTexts();
  const { language } = useLanguage();
  const isNow = changeSet() === "" && moment() === "";
  const counts = useQuery({ ...countsBelowQuery(id), enabled: isNow }).data;
  const children = model.childKinds(kind);
  const shown = isNow ? children.filter(({ name }) => (counts?.[name] ?? 0) > 0) : children;
  if (isNow && counts !== undefined && shown.length === 0) return <Text size="sm" c="dimmed">{t("common.nothingHere")}</Text>;
  return (
    <ul className={classes.plain} style={{ minHeight: counts === undefined && isNow ? 24 : undefined }}>
      {shown.map(({ name }) => (
        <li key={name}>
          <KindIcon kind={name} size={14} />
          <PageLink to="/explorer" search={{ kind: name, by: "id", find: id }} size="sm">
            {name}
          </PageLink>
          {counts && <Badge variant="light" c="var(--mantine-color-text)" size="sm">{(counts[name] ?? 0).toLocaleString(language)}</Badge>}
        </li>
      ))}
    </ul>
  );
}

/** How many documents are listed; the tab of links has all. */
const most = 8;

function Related({ path, view, title, onOpen }: { path: string; view: "references" | "referrers"; title: string; onOpen: (tab: string) => void }) {
  const t = useTexts();
  const list = useInfiniteQuery(relativesQuery(path, view));
  const relatives = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Part title={title}>
      {list.isPending && <Text size="sm" role="status">{t("common.loading")}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && relatives.length === 0 && <Text size="sm" c="dimmed">{t("common.nothingHere")}</Text>}
      {relatives.length > 0 && (
        <ul className={classes.plain}>
          {relatives.slice(0, most).map(({ id, kind }) => (
            <li key={id}>
              <KindIcon kind={kind} size={14} /> <DocumentLink id={id} />
            </li>
          ))}
        </ul>
      )}
      {(relatives.length > most || list.hasNextPage) && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => onOpen("links")}>
          {t("explorer.allLinks")}
        </Button>
      )}
    </Part>
  );
}
