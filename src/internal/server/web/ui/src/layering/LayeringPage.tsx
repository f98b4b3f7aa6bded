import { Alert, Badge, Box, Button, Flex, Group, SegmentedControl, Stack, Tabs, Text, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnly } from "../view/moment";
import { usePageTitle } from "../shell/title";
import { When } from "../shell/When";
import { Board } from "./Board";
import { Compare } from "./Compare";
import { Layers } from "./Layers";
import { LayeredView } from "./LayeredView";
import { revisionsQuery, tagRevision, type Revision } from "./queries";

const route = getRouteApi("/layering");

/** The revisions of layered documents: what is in them, how they differ, and what their documents are made of. */
export function LayeringPage() {
  const t = useTexts();
  const { revision } = route.useSearch();
  usePageTitle(revision, t("common.layering"));
  const list = useInfiniteQuery(revisionsQuery);
  const title = (
    <Title order={1} size="h2" mb="sm">
      {t("common.layering")}
    </Title>
  );
  if (!list.data || list.isError) {
    return (
      <>
        {title}
        {list.isError ? <ProblemAlert error={list.error} /> : <Text role="status">{t("common.loading")}</Text>}
      </>
    );
  }
  const revisions = list.data.pages.flatMap((page) => page.results);
  const chosen = revisions.find(({ id }) => String(id) === revision) ?? (revision === undefined ? revisions[0] : undefined);
  const number = chosen?.id ?? Number(revision);
  return (
    <>
      {title}
      {revisions.length === 0 ? (
        <Text>{t("layering.noRevisions")}</Text>
      ) : (
        <Flex gap="lg" align="flex-start" direction={{ base: "column", md: "row" }}>
          <Stack gap="xs" w={250} component="section" aria-label={t("layering.revisions")} flex="none">
            <Title order={2} size="h4">{t("layering.revisions")}</Title>
            <TimeLine revisions={revisions} chosen={number} />
            {list.hasNextPage && <Button variant="default" size="xs" onClick={() => void list.fetchNextPage()}>{t("common.more")}</Button>}
          </Stack>
          <Box flex={1} miw={0} w="100%">
            {Number.isSafeInteger(number) ? <Shown key={number} number={number} revision={chosen} revisions={revisions} /> : <Alert role="alert" color="red">{t("layering.noSuchRevision")}</Alert>}
          </Box>
        </Flex>
      )}
    </>
  );
}

function TimeLine({ revisions, chosen }: { revisions: Revision[]; chosen: number }) {
  const t = useTexts();
  return (
    <Box component="ol" m={0} p={0} style={{ listStyle: "none" }}>
      {revisions.map(({ id, createdAt, tags }) => (
        <Box component="li" key={id} pl="sm" py={6} style={{ borderLeft: `3px solid ${id === chosen ? "var(--mantine-primary-color-filled)" : "var(--mantine-color-default-border)"}` }}>
          <PageLink data-move to="/layering" search={(before) => ({ ...before, revision: String(id), path: undefined })} aria-current={id === chosen || undefined} fw={id === chosen ? 700 : undefined}>
            {t("layering.revisionNumber", { n: id })}
          </PageLink>
          <Text size="xs" c="dimmed"><When time={createdAt} /></Text>
          <Group gap={4}>{tags.map((tag) => <Badge key={tag} size="sm" variant="default" tt="none">{tag}</Badge>)}</Group>
        </Box>
      ))}
    </Box>
  );
}

interface Props {
  number: number;
  revision?: Revision;
  revisions: Revision[];
}

function Shown({ number, revision, revisions }: Props) {
  const t = useTexts();
  const { tab = "documents", schema, name, layer, other, path, show = "columns", of } = route.useSearch();
  const navigate = route.useNavigate();
  const id = schema !== undefined && name !== undefined ? { schema, name, layer } : undefined;
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h3">{t("layering.revisionNumber", { n: number })}</Title>
          {revision && <Text size="sm">{t("layering.bucketsOf", { names: revision.buckets.join(", ") })}</Text>}
        </div>
        <Tagging number={number} />
      </Group>
      <Tabs value={tab} keepMounted={false} onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next === "documents" || !next ? undefined : next }) })}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="documents">{t("common.documents")}</Tabs.Tab>
          <Tabs.Tab value="compare">{t("layering.compare")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="documents">
          {id ? (
            <LayeredView revision={number} id={id} path={path} onPath={(next) => void navigate({ search: (before) => ({ ...before, path: next }) })} />
          ) : (
            <Stack gap="sm">
              <SegmentedControl size="xs" aria-label={t("layering.showAs")} value={show} style={{ alignSelf: "flex-start" }} onChange={(next) => void navigate({ search: (before) => ({ ...before, show: next === "table" ? next : undefined }) })}
                data={[{ value: "columns", label: t("layering.columns") }, { value: "table", label: t("layering.table") }]} />
              {show === "table" ? <Layers revision={number} /> : <Board revision={number} of={of} onOf={(next) => void navigate({ search: (before) => ({ ...before, of: next }) })} />}
            </Stack>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="compare">
          <Compare number={number} revisions={revisions} other={other} onOther={(next) => void navigate({ search: (before) => ({ ...before, other: next }) })} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

/** Names the revision. */
function Tagging({ number }: { number: number }) {
  const t = useTexts();
  const past = useReadOnly();
  const queries = useQueryClient();
  const [tag, setTag] = useState("");
  const save = useMutation({
    mutationFn: () => tagRevision(number, tag.trim()),
    onSuccess: async () => {
      setTag("");
      await queries.invalidateQueries({ queryKey: revisionsQuery.queryKey });
    },
  });
  return (
    <form onSubmit={(event) => { event.preventDefault(); if (past === undefined && tag.trim() !== "") save.mutate(); }}>
      <Group gap="xs" align="flex-end">
        <TextInput size="xs" label={t("layering.newTag")} value={tag} onChange={(event) => { setTag(event.currentTarget.value); save.reset(); }} error={save.error?.message} />
        <ReasonButton size="xs" variant="default" reason={past} disabled={past === undefined && tag.trim() === ""} loading={save.isPending} onClick={() => save.mutate()}>{t("layering.addTag")}</ReasonButton>
      </Group>
    </form>
  );
}
