import { Badge, Button, Stack, Table, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { layerQuery, layersQuery, type LayeredId } from "./queries";

/** The documents of a revision by their layers, the highest first. */
export function Layers({ revision }: { revision: number }) {
  const t = useTexts();
  const layers = useQuery(layersQuery(revision));
  if (layers.isError) return <ProblemAlert error={layers.error} />;
  if (!layers.data) return <Text role="status">{t("common.loading")}</Text>;
  if (layers.data.length === 0) return <Layer revision={revision} title={t("layering.noLayers")} />;
  return (
    <Stack>
      {layers.data.map((layer, i) => <Layer key={layer} revision={revision} layer={layer} title={t("layering.layerTitle", { n: i + 1, name: layer })} />)}
      <Layer revision={revision} layer="" title={t("layering.controlDocuments")} />
    </Stack>
  );
}

function Layer({ revision, layer, title }: { revision: number; layer?: string; title: string }) {
  const t = useTexts();
  const list = useInfiniteQuery(layerQuery(revision, layer));
  if (list.isError) return <ProblemAlert error={list.error} />;
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={title}>
      <Title order={3} size="h4">{title}</Title>
      {list.isPending && <Text role="status">{t("common.loading")}</Text>}
      {list.isSuccess && items.length === 0 && <Text size="sm" c="dimmed">{t("common.nothingHere")}</Text>}
      {items.length > 0 && (
        <Table layout="fixed" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("layering.document")}</Table.Th>
              <Table.Th>{t("common.schema")}</Table.Th>
              <Table.Th w={140}>{t("layering.bucket")}</Table.Th>
              <Table.Th>{t("layering.parentChain")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {items.map(({ document, bucket, abstract, parents }) => (
              <Table.Tr key={`${document.schema} ${document.name} ${document.layer}`} style={{ overflowWrap: "anywhere" }}>
                <Table.Td><LayeredLink id={document} /> {abstract && <Badge size="sm" variant="default" tt="none">{t("layering.abstract")}</Badge>}</Table.Td>
                <Table.Td>{document.schema}</Table.Td>
                <Table.Td>{bucket}</Table.Td>
                <Table.Td><Chain ids={parents} /></Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {list.hasNextPage && <Button mt="xs" variant="default" size="xs" onClick={() => void list.fetchNextPage()}>{t("common.more")}</Button>}
    </section>
  );
}

/** Documents that inherit from each other, the nearest first. */
export function Chain({ ids }: { ids: LayeredId[] }) {
  const t = useTexts();
  if (ids.length === 0) return <Text span size="sm" c="dimmed">{t("common.none")}</Text>;
  return ids.map((id, i) => (
    <Fragment key={`${id.schema} ${id.name} ${id.layer}`}>
      {i > 0 && " ← "}
      <LayeredLink id={id} withLayer />
    </Fragment>
  ));
}

/** A link to a document of the revision that is shown. */
export function LayeredLink({ id, withLayer = false }: { id: LayeredId; withLayer?: boolean }) {
  const t = useTexts();
  return (
    <>
      <PageLink to="/layering" search={(before) => ({ ...before, tab: undefined, schema: id.schema, name: id.name, layer: id.layer, path: undefined })}>
        {id.name}
      </PageLink>
      {withLayer && id.layer && ` (${t("layering.inLayer", { name: id.layer })})`}
    </>
  );
}
