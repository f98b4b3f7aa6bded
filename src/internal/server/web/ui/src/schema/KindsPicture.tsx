import { Text } from "@mantine/core";
import { useMemo } from "react";
import { useTexts } from "../i18n/texts";
import Picture from "../graph/Picture";
import type { Model } from "../model/kinds";
import { pictureHeight } from "./height";

interface Props {
  model: Model;
  chosen?: string;
  onOpen: (kind: string) => void;
}

/** The kinds with arrows to what they are below, dashed, and to what they refer to. */
export default function KindsPicture({ model, chosen, onOpen }: Props) {
  const t = useTexts();
  const { nodes, edges } = useMemo(() => picture(model, chosen), [model, chosen]);
  return (
    <>
      <Text size="sm" c="dimmed" mb={4}>
        ─ {t("common.graphReference")} · ┄ {t("common.graphParent")}
      </Text>
      <Picture label={t("schema.pictureOfKinds")} nodes={nodes} edges={edges} onOpen={onOpen} boxWidth={320} height={pictureHeight} frameFrom={5} whole />
    </>
  );
}

function picture(model: Model, chosen: string | undefined) {
  const nodes = model.kinds.map((kind) => ({ id: kind.name, title: kind.name, note: kind.service ?? "", main: kind.name === chosen }));
  const edges = model.kinds.flatMap((kind) => {
    const parent = kind.parent ? [{ from: kind.name, to: kind.parent, dashed: true }] : [];
    const targets = new Set((kind.references ?? []).flatMap((reference) => reference.to));
    return [...parent, ...[...targets].map((to) => ({ from: kind.name, to }))];
  });
  return { nodes, edges };
}
