import { ActionIcon, Badge, Box, Button, CloseButton, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Workflow } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { Arrows } from "./Arrows";
import { arrowsOf, cardId, columnsOf, relatives, type Card, type Column } from "./board";
import { LayeredLink } from "./Layers";
import { boardQuery, layersQuery, type LayeredId } from "./queries";
import classes from "./Board.module.css";

/** How many cards a column has at first, and how many more each time. */
const page = 60;
/** How many arrows are drawn while nothing is pointed at; more would be a thicket. */
const mostArrows = 120;
const mostChips = 4;

interface Props {
  revision: number;
  of?: string; // the card whose relatives alone are shown
  onOf: (of: string | undefined) => void;
}

/** The documents of a revision, layer beside layer, with arrows to their parents; of what one points at also to what it substitutes from. */
export function Board({ revision, of, onOf }: Props) {
  const t = useTexts();
  const layers = useQuery(layersQuery(revision));
  const board = useQuery(boardQuery(revision));
  const [find, setFind] = useState("");
  const [schema, setSchema] = useState("");
  const [lit, setLit] = useState<string>();
  const wanted = useDeferredValue(find.trim().toLowerCase());
  const all = useMemo(() => columnsOf(board.data?.items ?? [], layers.data ?? []), [board.data, layers.data]);
  const schemas = useMemo(() => [...new Set(board.data?.items.map(({ document }) => document.schema))].sort(), [board.data]);
  const family = useMemo(() => (of === undefined ? undefined : relatives(all, of)), [all, of]);
  const columns = useMemo(() => all.map((column) => ({ ...column, cards: column.cards.filter((card) => fits(card, wanted, schema) && (family === undefined || family.has(card.id))) })), [all, family, schema, wanted]);
  const focus = useMemo(() => (lit === undefined ? family : relatives(all, lit)), [all, family, lit]);
  const arrows = useMemo(() => {
    const those = arrowsOf(columns, focus);
    return focus === undefined && those.length > mostArrows ? [] : those;
  }, [columns, focus]);
  const error = layers.error ?? board.error;
  if (error) return <ProblemAlert error={error} />;
  if (!layers.data || !board.data) return <Text role="status">{t("common.loading")}</Text>;
  const total = board.data.items.length;
  const shown = columns.reduce((sum, { cards }) => sum + cards.length, 0);
  const titleOf = ({ layer }: Column) => (layer === "" ? t(layers.data.length === 0 ? "layering.noLayers" : "layering.controlDocuments") : t("layering.layerTitle", { n: layers.data.indexOf(layer) + 1, name: layer }));
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <TextInput data-filter size="xs" label={t("layering.findDocument")} value={find} onChange={(event) => setFind(event.currentTarget.value)} w={260} />
        <NativeSelect size="xs" label={t("common.schema")} value={schema} onChange={(event) => setSchema(event.currentTarget.value)} maw={260} data={[{ value: "", label: t("layering.anySchema") }, ...schemas]} />
        <Text size="sm" role="status">{t("layering.documentsShown", { found: shown, all: total })}</Text>
      </Group>
      {family && (
        <Group gap={4}>
          <Text size="sm">{t("layering.connectedWith")} <strong>{all.flatMap(({ cards }) => cards).find(({ id }) => id === of)?.of.document.name ?? of}</strong></Text>
          <CloseButton size="sm" aria-label={t("layering.showUnconnected")} onClick={() => { onOf(undefined); setLit(undefined); }} />
        </Group>
      )}
      {board.data.more && <Text size="sm">{t("layering.boardPartial", { n: total })}</Text>}
      <Box component="section" className={classes.scroll} aria-label={t("layering.columns")} tabIndex={0}>
        <div className={classes.field}>
          {columns.map((column) => (
            <Lane key={column.layer} title={titleOf(column)} column={column} lit={focus} onLit={setLit} onOf={onOf} />
          ))}
          <Arrows arrows={arrows} strong={focus !== undefined} />
        </div>
      </Box>
    </Stack>
  );
}

function fits({ of: { document } }: Card, wanted: string, schema: string): boolean {
  return (schema === "" || document.schema === schema) && `${document.schema} ${document.name}`.toLowerCase().includes(wanted);
}

interface LaneProps {
  title: string;
  column: Column;
  lit?: Set<string>;
  onLit: (id: string | undefined) => void;
  onOf: (id: string) => void;
}

function Lane({ title, column, lit, onLit, onOf }: LaneProps) {
  const t = useTexts();
  const [most, setMost] = useState(page);
  const left = column.cards.length - most;
  return (
    <section aria-label={title} className={classes.column}>
      <Group gap="xs">
        <Title order={3} size="h5">{title}</Title>
        <Text size="sm" c="dimmed">{column.cards.length}</Text>
      </Group>
      <ul className={classes.cards}>
        {column.cards.slice(0, most).map((card) => (
          <One key={card.id} card={card} lit={lit?.has(card.id) === true} onLit={onLit} onOf={onOf} />
        ))}
      </ul>
      {column.cards.length === 0 && <Text size="sm" c="dimmed">{t("common.nothingHere")}</Text>}
      {left > 0 && <Button mt="xs" variant="default" size="xs" onClick={() => setMost(most + page)}>{t("layering.moreOf", { n: left })}</Button>}
    </section>
  );
}

function One({ card, lit, onLit, onOf }: { card: Card; lit: boolean } & Pick<LaneProps, "onLit" | "onOf">) {
  const t = useTexts();
  const { document, abstract, parents, sources, replaces } = card.of;
  const [parent] = parents;
  const show = () => onLit(card.connected ? card.id : undefined);
  return (
    <Box component="li" className={classes.card} data-card={card.id} data-lit={lit || undefined} onMouseEnter={show} onMouseLeave={() => onLit(undefined)} onFocus={show} onBlur={() => onLit(undefined)}>
      <div className={classes.head}>
        <div>
          <LayeredLink id={document} /> {abstract && <Badge size="xs" variant="default" tt="none">{t("layering.abstract")}</Badge>}
          <Text size="xs" c="dimmed">{document.schema}</Text>
        </div>
        {card.connected && (
          <ActionIcon variant="subtle" size="sm" aria-label={t("layering.showConnected", { name: document.name })} title={t("layering.showConnected", { name: document.name })} onClick={() => onOf(cardId(document))}>
            <Workflow size={14} aria-hidden />
          </ActionIcon>
        )}
      </div>
      {(parent || replaces || sources.length > 0) && (
        <div className={classes.chips}>
          {parent && <Chip kind="parent" label={replaces ? t("layering.takesPlaceOf") : t("layering.parentChain")} sign={replaces ? "⇐" : "←"} id={parent} />}
          {sources.slice(0, mostChips).map((source) => <Chip key={cardId(source)} kind="source" label={t("layering.substitutesFrom")} sign="⇠" id={source} />)}
          {sources.length > mostChips && <Text span size="xs" title={sources.slice(mostChips).map(({ name }) => name).join(", ")}>{t("common.andMore", { n: sources.length - mostChips })}</Text>}
        </div>
      )}
    </Box>
  );
}

/** What a document is made of, in a few letters; in full when it is pointed at. */
function Chip({ kind, label, sign, id }: { kind: string; label: string; sign: string; id: LayeredId }) {
  return (
    <span className={classes.chip} data-kind={kind} title={`${label}: ${id.schema} ${id.name}`}>
      <span aria-hidden>{sign} </span>
      <LayeredLink id={id} />
    </span>
  );
}
