import { Badge, Button, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Relative } from "../api/documents";
import { relativesQuery } from "../api/queries";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";
import { DocumentLink, PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";

/** What a document refers to, what refers to it, and what is right below it, also as tables of the kinds that can be there. */
export function Links({ id, path, kinds }: { id: string; path: string; kinds: Kind[] }) {
  const t = useTexts();
  return (
    <SimpleGrid cols={{ base: 1, lg: 3 }}>
      <Relatives path={path} view="references" title={t("explorer.refersTo")} />
      <Relatives path={path} view="referrers" title={t("explorer.usedBy")} />
      <Relatives path={path} view="children" title={t("common.children")}>
        {kinds.map((kind) => (
          <PageLink key={kind.name} to="/explorer" search={{ kind: kind.name, by: "id", find: id }} size="sm">
            {t("explorer.asTableOf", { kind: kind.name })}
          </PageLink>
        ))}
      </Relatives>
    </SimpleGrid>
  );
}

interface RelativesProps {
  path: string;
  view: "references" | "referrers" | "children";
  title: string;
  children?: ReactNode;
}

function Relatives({ path, view, title, children }: RelativesProps) {
  const t = useTexts();
  const list = useInfiniteQuery(relativesQuery(path, view));
  const relatives = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3} size="h4">
        {title}
      </Title>
      {children}
      {list.isPending && <Text role="status">{t("common.loading")}</Text>}
      {list.isError && <ProblemAlert error={list.error} />}
      {list.isSuccess && relatives.length === 0 && <Text c="dimmed">{t("common.nothingHere")}</Text>}
      <ul style={{ margin: 0, paddingLeft: 18 }}>
        {relatives.map((relative) => (
          <li key={`${relative.id} ${relative.weak} ${relative.cascade}`}>
            <DocumentLink id={relative.id} /> <Marks relative={relative} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </Stack>
  );
}

function Marks({ relative }: { relative: Relative }) {
  const t = useTexts();
  return (
    <>
      {relative.weak && <Badge variant="default" size="sm" tt="none">{t("explorer.weakReference")}</Badge>}
      {relative.cascade && <Badge variant="default" size="sm" tt="none">{t("explorer.cascadeReference")}</Badge>}
    </>
  );
}
