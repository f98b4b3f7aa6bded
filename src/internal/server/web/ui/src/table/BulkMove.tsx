import { List, ScrollArea, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Row } from "../api/queries";
import { PlanActions } from "../changesets/PlanActions";
import { usePlace, useStaging } from "../changesets/staging";
import { WriteProblem } from "../changesets/StageOffer";
import { useView } from "../changesets/view";
import { mostUnconfirmed } from "../explorer/PlanList";
import { DocumentPicker } from "../form/DocumentPicker";
import { Effects } from "../history/Effects";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { Dialog } from "../shell/Dialog";
import { MessageField } from "../shell/MessageField";
import { MoveError, clashOf, doMoves, movesOf, parentsOf, planMoves, type Move } from "./move";

interface Props {
  model: Model;
  kind: Kind;
  rows: Row[];
  onClose: (done: boolean) => void;
}

/** How many moves are listed. */
const mostRows = 200;

/** Brings the documents that are selected below another one, after it has shown what that changes. */
export function BulkMove({ model, kind, rows, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const enter = useView();
  const [under, setUnder] = useState("");
  const [message, setMessage] = useState("");
  const [typed, setTyped] = useState("");
  const [done, setDone] = useState<string[]>([]);
  const place = usePlace();
  const { where } = place;
  const candidates = useMemo(() => parentsOf(model, kind).map((parent) => ({ kind: parent, known: [] })), [kind, model]);
  const moves = useMemo(() => (under === "" ? [] : movesOf(model, rows.map(({ id }) => id).filter((id) => !done.includes(id)), under)), [done, model, rows, under]);
  const clash = clashOf(moves);
  const move = useMutation({
    mutationFn: (changeSet: string | undefined) => doMoves(moves, { message, changeSet }, ({ from }) => setDone((before) => [...before, from])),
    onSuccess: (_, changeSet) => {
      onClose(true);
      if (changeSet !== undefined) enter(changeSet);
    },
    onSettled: () => {
      queries.removeQueries({ queryKey: ["document"] });
      return queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "moves" });
    },
  });
  const check = useQuery({ queryKey: ["moves", moves, where], queryFn: () => planMoves(moves, where), enabled: moves.length > 0 && clash === undefined && !move.isPending, staleTime: 0, gcTime: 0, retry: false });
  const plan = check.data;
  const confirmed = plan !== undefined && (plan.moved <= mostUnconfirmed || typed.trim() === kind.name);
  const error = move.error ?? check.error;
  const refusal = error instanceof MoveError ? error.cause : error;
  const places = useMemo(() => [...rows.map(({ id }) => id), ...moves.map(({ to }) => to)], [moves, rows]);
  const { direct, stage } = useStaging(place, places, refusal, move);
  return (
    <Dialog title={t("table.moveSelected", { n: rows.length })} size="xl" onClose={() => onClose(false)}>
      <Stack>
        <DocumentPicker label={t("table.moveBelow")} required model={model} candidates={candidates} id={under === "" ? undefined : under} text={under === "" ? "" : model.titleOf(under)} others={[]}
          onChoose={(_, id) => {
            move.reset();
            setUnder(id);
          }} />
        {done.length > 0 && <Text role="status">{t("table.movedSoFar", { n: done.length })}</Text>}
        {under !== "" && moves.length === 0 && <Text role="status">{t("table.moveNothing")}</Text>}
        {clash !== undefined && <Text role="alert">{t("table.moveClash", { id: clash })}</Text>}
        {check.isFetching && <Text role="status">{t("common.checking")}</Text>}
        {plan && (
          <>
            <Text fw={600}>{t("table.movePlan", { n: plan.moved, references: plan.references })}</Text>
            <MoveList moves={moves} />
            {plan.rewritten.length > 0 && <Effects written={{ results: plan.rewritten }} />}
            <Text size="sm" c="dimmed">{t("table.moveSeparately")}</Text>
            <MessageField value={message} onChange={setMessage} />
            {plan.moved > mostUnconfirmed && <TextInput label={t("table.typeToMove", { name: kind.name, n: plan.moved })} value={typed} autoComplete="off" onChange={(event) => setTyped(event.currentTarget.value)} />}
          </>
        )}
        {error instanceof MoveError && <Text>{t("table.moveRefused", { id: error.move.from })}</Text>}
        <PlanActions error={refusal} problem={error instanceof MoveError ? undefined : <WriteProblem error={error} />} ready={confirmed} direct={direct} where={where} doing={move.isPending} onDo={() => move.mutate(where)} onStage={stage} onCancel={() => onClose(done.length > 0)}>
          {t("table.move")}
        </PlanActions>
      </Stack>
    </Dialog>
  );
}

function MoveList({ moves }: { moves: Move[] }) {
  const t = useTexts();
  return (
    <>
      <ScrollArea.Autosize mah={240} offsetScrollbars viewportProps={{ tabIndex: 0, "aria-label": t("common.previewTitle"), role: "region" }}>
        <List size="sm">
          {moves.slice(0, mostRows).map(({ from, to }) => (
            <List.Item key={from} style={{ overflowWrap: "anywhere" }}>
              {from} → {to}
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
      {moves.length > mostRows && <Text size="sm">{t("common.deleteShown", { shown: mostRows, total: moves.length })}</Text>}
    </>
  );
}
