import { Code, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { ProblemAlert } from "../shell/ProblemAlert";
import { compareQuery, type Revision } from "./queries";

interface Props {
  number: number;
  revisions: Revision[];
  other?: string; // the revision to compare with; the one before without it
  onOther: (other: string) => void;
}

/** How the rendered documents of a revision differ from those of another one. */
export function Compare({ number, revisions, other, onOther }: Props) {
  const t = useTexts();
  const from = other === undefined ? number - 1 : Number(other);
  const offered = [...revisions.map(({ id, tags }) => ({ value: String(id), label: [t.revisionNumber(id), ...tags].join(" · ") })), { value: "0", label: t.revisionNumber(0) }];
  return (
    <Stack gap="sm">
      <NativeSelect label={t.compareWith} value={String(from)} data={offered} onChange={(event) => onOther(event.currentTarget.value)} maw={320} />
      <Buckets from={from} to={number} />
    </Stack>
  );
}

function Buckets({ from, to }: { from: number; to: number }) {
  const t = useTexts();
  const compared = useQuery(compareQuery(from, to));
  const states: Record<string, string> = { created: t.bucketCreated, deleted: t.bucketDeleted, modified: t.bucketModified, unmodified: t.bucketUnmodified };
  if (compared.isError) return <ProblemAlert error={compared.error} />;
  if (!compared.data) return <Text role="status">{t.loading}</Text>;
  if (compared.data.length === 0) return <Text role="status">{t.unchanged}</Text>;
  return compared.data.map(({ bucket, state, differences }) => (
    <Stack key={bucket} gap="xs" component="section" aria-label={`${t.bucket} ${bucket}`}>
      <Title order={3} size="h4">{t.bucket} {bucket}: {states[state] ?? state}</Title>
      {differences.map(({ document, change, details }) => (
        <div key={`${document} ${change}`} data-change={change}>
          <ChangeBadge change={change} /> <Text span>{document}</Text>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with keys */}
          {details !== "" && <Code block tabIndex={0} mt={4}>{details}</Code>}
        </div>
      ))}
    </Stack>
  ));
}
