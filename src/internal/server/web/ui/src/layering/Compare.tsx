import { Badge, Chip, Group, NativeSelect, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { Differences } from "./Differences";
import { compareQuery, documentKey, inLayerQuery, layersQuery, type Change, type ComparedBucket, type Revision } from "./queries";

interface Props {
  number: number;
  revisions: Revision[];
  other?: string; // the revision to compare with; the one before without it
  onOther: (other: string) => void;
}

const changes: Change[] = ["changed", "added", "removed"];

/** How the rendered documents of a revision differ from those of another one, document by document. */
export function Compare({ number, revisions, other, onOther }: Props) {
  const t = useTexts();
  const from = other === undefined ? number - 1 : Number(other);
  const offered = [...revisions.map(({ id, tags }) => ({ value: String(id), label: [t("layering.revisionNumber", { n: id }), ...tags].join(" · ") })), { value: "0", label: t("layering.revisionNumber", { n: 0 }) }];
  const compared = useQuery(compareQuery(from, number));
  return (
    <Stack gap="sm">
      <NativeSelect label={t("layering.compareWith")} value={String(from)} data={offered} onChange={(event) => onOther(event.currentTarget.value)} maw={320} />
      {compared.isError && <ProblemAlert error={compared.error} />}
      {compared.isPending && <Text role="status">{t("common.loading")}</Text>}
      {compared.data && (compared.data.length === 0 ? <Text role="status">{t("common.unchanged")}</Text> : <Buckets key={`${from} ${number}`} from={from} to={number} buckets={compared.data} />)}
    </Stack>
  );
}

/** The buckets with what differs in them, of which one may look for some. */
function Buckets({ from, to, buckets }: { from: number; to: number; buckets: ComparedBucket[] }) {
  const t = useTexts();
  const [find, setFind] = useState("");
  const [kinds, setKinds] = useState<string[]>(changes);
  const [schema, setSchema] = useState("");
  const [layer, setLayer] = useState("");
  const layers = useQuery(layersQuery(to)).data ?? [];
  const revisions = [from, to].filter((revision) => revision > 0);
  const inLayer = useQuery({ ...inLayerQuery(revisions, layer), enabled: layer !== "" });
  const states: Record<string, string> = { created: t("layering.bucketCreated"), deleted: t("layering.bucketDeleted"), modified: t("layering.bucketModified"), unmodified: t("layering.bucketUnmodified") };
  const names: Record<Change, string> = { changed: t("common.changed"), added: t("common.added"), removed: t("common.removed") };
  const all = buckets.flatMap(({ differences }) => differences);
  const matches = buckets.map((bucket) => ({
    ...bucket,
    differences: bucket.differences.filter((one) =>
      kinds.includes(one.change) && (schema === "" || one.schema === schema) && (layer === "" || inLayer.data?.has(documentKey(one)) === true) && documentKey(one).toLowerCase().includes(find.trim().toLowerCase())),
  }));
  const found = matches.reduce((n, { differences }) => n + differences.length, 0);
  return (
    <>
      <Group gap="sm" align="flex-end">
        <TextInput size="xs" label={t("layering.findDocument")} value={find} onChange={(event) => setFind(event.currentTarget.value)} w={260} />
        <NativeSelect size="xs" label={t("common.schema")} value={schema} onChange={(event) => setSchema(event.currentTarget.value)} maw={260} data={[{ value: "", label: t("layering.anySchema") }, ...[...new Set(all.map((one) => one.schema))].sort()]} />
        {layers.length > 0 && <NativeSelect size="xs" label={t("layering.layer")} value={layer} onChange={(event) => setLayer(event.currentTarget.value)} data={[{ value: "", label: t("layering.anyLayer") }, ...layers]} />}
        <Chip.Group multiple value={kinds} onChange={setKinds}>
          {changes.map((change) => (
            <Chip key={change} size="xs" value={change}>{names[change]}: {all.filter((one) => one.change === change).length}</Chip>
          ))}
        </Chip.Group>
        <Text size="sm" role="status">{found === all.length ? t("layering.documentsDiffer", { all: all.length }) : t("layering.documentsShown", { found, all: all.length })}</Text>
      </Group>
      {inLayer.isError && <ProblemAlert error={inLayer.error} />}
      {matches.map(({ bucket, state, differences }, i) => (
        <Stack key={bucket} gap="xs" component="section" aria-label={`${t("layering.bucket")} ${bucket}`}>
          <Group gap="xs">
            <Title order={3} size="h4">{t("layering.bucket")} {bucket}: {states[state] ?? state}</Title>
            {(buckets[i]?.differences.length ?? 0) > 0 && <Badge variant="default">{buckets[i]?.differences.length}</Badge>}
          </Group>
          <Differences from={from} to={to} differences={differences} openFirst={all.length <= 3} />
        </Stack>
      ))}
    </>
  );
}
