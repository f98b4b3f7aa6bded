import { Anchor, Autocomplete, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import type { Graph } from "../api/documents";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { searchQuery } from "../palette/entries";
import { DocumentLink } from "../shell/links";

interface FieldProps {
  to: string;
  onChoose: (to: string | undefined) => void;
}

/** The document to which a path is sought, found by its name. */
export function PathField({ to, onChoose }: FieldProps) {
  const t = useTexts();
  const [text, setText] = useState(to);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const found = useQuery({ ...searchQuery(asked), enabled: asked !== "" && asked !== to });
  const offered = asked === "" ? [] : (found.data?.items.map(({ id }) => id) ?? []);
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" component="label" htmlFor="graph-path">
        {t("graph.graphPathTo")}
      </Text>
      <Autocomplete id="graph-path" size="xs" w={280} value={text} data={[...new Set(offered)]} filter={({ options }) => options} placeholder={t("graph.graphPathHint")}
        onChange={(next) => {
          setText(next);
          if (next.trim() === "") onChoose(undefined);
        }}
        onOptionSubmit={onChoose}
      />
    </Group>
  );
}

interface PathProps {
  model: Model;
  graph: Graph;
  path: string[];
}

/** A path in words: each document, with what it has to do with the next. */
export function PathInWords({ model, graph, path }: PathProps) {
  const t = useTexts();
  const words = new Map(graph.edges.map(({ from, to, relation }) => [`${from}\n${to}`, relation === "parent" ? t("common.graphParent") : t("common.graphReference")]));
  const between = (a: string, b: string) => (words.has(`${a}\n${b}`) ? `→ ${words.get(`${a}\n${b}`)} →` : `← ${words.get(`${b}\n${a}`)} ←`);
  return (
    <Text size="sm" component="nav" aria-label={t("graph.graphPath")}>
      {path.map((id, i) => (
        <Fragment key={id}>
          {i > 0 && <Text span size="sm"> {between(path[i - 1] ?? "", id)} </Text>}
          {i === 0 ? <Anchor component="span" size="sm" c="var(--mantine-color-text)" fw={600}>{model.titleOf(id)}</Anchor> : <DocumentLink id={id} />}
        </Fragment>
      ))}
    </Text>
  );
}
