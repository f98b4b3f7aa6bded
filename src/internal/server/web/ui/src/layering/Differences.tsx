import { Button, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { ProblemAlert } from "../shell/ProblemAlert";
import { YamlDiff } from "../yaml/lazy";
import { renderedQuery, type Difference } from "./queries";

interface Props {
  from: number;
  to: number;
  differences: Difference[];
  openFirst: boolean; // all of them are open at first
}

const page = 100;

/** Documents that differ, each with its difference as text once it is opened. */
export function Differences({ from, to, differences, openFirst }: Props) {
  const t = useTexts();
  const [most, setMost] = useState(page);
  return (
    <Stack gap={4}>
      {differences.slice(0, most).map((difference) => (
        <One key={`${difference.schema} ${difference.name}`} from={from} to={to} difference={difference} openFirst={openFirst} />
      ))}
      {differences.length > most && (
        <div>
          <Button variant="default" size="xs" onClick={() => setMost(most + page)}>{t("layering.moreOf", { n: differences.length - most })}</Button>
        </div>
      )}
    </Stack>
  );
}

function One({ from, to, difference, openFirst }: Omit<Props, "differences"> & { difference: Difference }) {
  const [open, setOpen] = useState(openFirst);
  const { schema, name, change } = difference;
  return (
    <div data-change={change}>
      <UnstyledButton aria-expanded={open} onClick={() => setOpen(!open)} py={2}>
        <Group gap="xs" wrap="nowrap">
          <span aria-hidden>{open ? "▾" : "▸"}</span>
          <ChangeBadge change={change} />
          <Text span style={{ overflowWrap: "anywhere" }}>{schema} <strong>{name}</strong></Text>
        </Group>
      </UnstyledButton>
      {open && <Shown from={from} to={to} schema={schema} name={name} />}
    </div>
  );
}

function Shown({ from, to, schema, name }: { from: number; to: number; schema: string; name: string }) {
  const t = useTexts();
  const rendered = useQuery(renderedQuery(from, to, schema, name));
  if (rendered.isError) return <ProblemAlert error={rendered.error} />;
  if (!rendered.data) return <Text role="status">{t("common.loading")}</Text>;
  const { before, after } = rendered.data;
  if (before === after) return <Text size="sm" c="dimmed">{t("layering.hiddenDifference")}</Text>;
  return <YamlDiff before={before} after={after} beforeLabel={t("layering.revisionNumber", { n: from })} afterLabel={t("layering.revisionNumber", { n: to })} />;
}
