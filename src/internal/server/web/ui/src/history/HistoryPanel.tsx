import { Alert, Badge, Button, Group, Radio, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { isNotFound } from "../api/problem";
import { changeSet } from "../api/view";
import { useTexts } from "../i18n/texts";
import { ChangeBadge } from "../shell/ChangeBadge";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { useReadOnly } from "../view/moment";
import { YamlDiff } from "../yaml/lazy";
import { choose, keyOf, revisionOf, type Choice } from "./choice";
import { Made, useVersionLabel } from "./Made";
import { historyQuery, textQuery, type Version } from "./queries";
import { RevealNote } from "../shell/Secrets";
import { useHidden } from "./hidden";
import { RestoreDialog } from "./RestoreDialog";
import { RevertDialog } from "./RevertDialog";
import classes from "./History.module.css";

const route = getRouteApi("/explorer");

interface Props {
  id: string;
  path: string;
  at?: string; // the version that is shown
  before?: string; // the one that it is compared with
  deleted?: boolean; // the document is not there: then nothing is said where there is no history either
}

/** The versions of a document, newest first, and what is different between two of them. */
export function HistoryPanel({ id, path, at, before, deleted = false }: Props) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const [restoring, setRestoring] = useState<Version>();
  const [reverting, setReverting] = useState<Version>();
  const [done, setDone] = useState("");
  const { data, error, isError, isPending, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(historyQuery(path));
  const versions = data?.pages.flatMap((page) => page.items) ?? [];
  const choice = choose(versions, hasNextPage, at, before);
  const incomplete = choice === undefined && hasNextPage && !isError;
  useEffect(() => {
    if (incomplete && !isFetching) void fetchNextPage();
  }, [incomplete, isFetching, fetchNextPage]);
  if (isError && !data) return deleted && isNotFound(error) ? null : <ProblemAlert error={error} />;
  if (isPending) return <Text role="status">{t("common.loading")}</Text>;
  if (versions.length === 0) return <Text role="status">{t("history.noVersions")}</Text>;
  const select = (chosen: { at?: string; before?: string }) => void navigate({ search: (now) => ({ ...now, ...chosen }), replace: true });
  const written = (text: string) => {
    setRestoring(undefined);
    setReverting(undefined);
    setDone(text);
    select({ at: undefined, before: undefined });
  };
  return (
    <Stack gap="md">
      {done !== "" && <Text role="status">{done}</Text>}
      <ol className={classes.rows} aria-label={t("history.versionsOf", { id })}>
        {versions.map((version, index) => (
          <Row key={keyOf(version)} version={version} choice={choice} current={index === 0}
            onAfter={() => select({ at: keyOf(version), before: choice?.before && keyOf(choice.before) })}
            onBefore={() => select({ at: choice && keyOf(choice.after), before: keyOf(version) })}
            onRestore={() => setRestoring(version)} onRevert={() => setReverting(version)} />
        ))}
      </ol>
      {isError && <ProblemAlert error={error} />}
      {hasNextPage && (
        <Button variant="default" size="xs" style={{ alignSelf: "flex-start" }} loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
      {choice && <Difference id={id} path={path} choice={choice} newest={versions[0]} />}
      {restoring && <RestoreDialog id={id} path={path} version={restoring} onDone={() => written(changeSet() === "" ? t("history.restored") : t("common.savedStaged"))} onClose={() => setRestoring(undefined)} />}
      {reverting?.position !== undefined && <RevertDialog position={reverting.position} onDone={() => written(changeSet() === "" ? t("history.reverted") : t("common.savedStaged"))} onClose={() => setReverting(undefined)} />}
    </Stack>
  );
}

interface RowProps {
  version: Version;
  choice?: Choice;
  current: boolean; // the state that the document is in
  onAfter: () => void;
  onBefore: () => void;
  onRestore: () => void;
  onRevert: () => void;
}

function Row({ version, choice, current, onAfter, onBefore, onRestore, onRevert }: RowProps) {
  const t = useTexts();
  const past = useReadOnly();
  const label = useVersionLabel()(version);
  const is = (other?: Version) => other !== undefined && keyOf(other) === keyOf(version);
  return (
    <li className={classes.row} aria-label={label} data-chosen={is(choice?.after) || is(choice?.before)}>
      <div className={classes.choice}>
        <Radio size="xs" name="history-before" label={t("history.compareFrom")} aria-label={`${t("history.compareFrom")}: ${label}`} checked={is(choice?.before)} onChange={onBefore} />
        <Radio size="xs" name="history-after" label={t("history.compareTo")} aria-label={`${t("history.compareTo")}: ${label}`} checked={is(choice?.after)} onChange={onAfter} />
      </div>
      <div className={classes.body}>
        <Group gap="xs">
          <ChangeBadge change={version.op} />
          <Text span size="sm" fw={600}>
            {t("common.revision")} {revisionOf(version)}
          </Text>
          <Made by={version} time={version.time} />
        </Group>
        <Changed version={version} />
      </div>
      <Group gap={6} className={classes.actions}>
        {!current && version.op !== "deleted" && !version.erased && (
          <ReasonButton reason={past} variant="default" size="compact-xs" onClick={onRestore}>
            {t("history.restoreRevision", { n: revisionOf(version) })}
          </ReasonButton>
        )}
        {version.position !== undefined && (
          <ReasonButton reason={past} variant="default" size="compact-xs" onClick={onRevert}>
            {t("history.revertTransaction")}
          </ReasonButton>
        )}
      </Group>
    </li>
  );
}

/** What a version changed, in short. */
function Changed({ version }: { version: Version }) {
  const t = useTexts();
  const { paths = [], morePaths = 0, files, status } = version;
  if (paths.length === 0 && !files && !status) return null;
  return (
    <Group gap={6} mt={4}>
      {paths.map((path) => (
        <code key={path} className={classes.path}>
          {path}
        </code>
      ))}
      {morePaths > 0 && <Text size="xs">{t("common.andMore", { n: morePaths })}</Text>}
      {files && <Badge variant="default" size="sm" tt="none">{t("common.files")}</Badge>}
      {status && <Badge variant="default" size="sm" tt="none">{t("common.tabStatus")}</Badge>}
    </Group>
  );
}

/** The texts of two versions, side by side. */
function Difference({ id, path, choice, newest }: { id: string; path: string; choice: Choice; newest?: Version }) {
  const t = useTexts();
  const { reveal, hide, hidden } = useHidden(id, path, [choice.before, choice.after]);
  const labelOf = useVersionLabel();
  const { after, before } = choice;
  const texts = { before: useText(path, before, newest), after: useText(path, after, newest) };
  const error = texts.before.error ?? texts.after.error;
  const loaded = texts.before.text !== undefined && texts.after.text !== undefined;
  return (
    <Stack gap="xs" component="section" aria-label={t("history.difference")}>
      <Title order={3} size="h4">
        {t("history.difference")}
      </Title>
      {error && <ProblemAlert error={error} />}
      {!error && !loaded && <Text role="status">{t("common.loading")}</Text>}
      {hidden && <RevealNote reveal={reveal} />}
      {(texts.before.lost || texts.after.lost) && <Alert color="yellow" role="status">{t("history.contentNotKept")}</Alert>}
      {texts.before.text !== undefined && texts.after.text !== undefined && !texts.after.lost && (
        texts.before.text === texts.after.text ? <Text role="status">{t("history.noDifference")}</Text> : (
          <YamlDiff before={hide(texts.before.text)} after={hide(texts.after.text)} beforeLabel={before ? labelOf(before) : t("common.absent")} afterLabel={labelOf(after)} />
        )
      )}
    </Stack>
  );
}

interface VersionText {
  text?: string;
  error: Error | null;
  lost?: boolean; // what it said is no longer there
}

/** The text of a version: empty of none and of a deletion. The newest one can be read even where it is older than the history. */
function useText(path: string, version: Version | undefined, newest?: Version): VersionText {
  const empty = version === undefined || version.op === "deleted";
  const lost = !empty && (version.erased === true || (version.position === undefined && version !== newest));
  const { data, error } = useQuery({ ...textQuery(path, version?.position), enabled: !empty && !lost });
  return empty || lost ? { text: "", error: null, lost } : { text: data, error };
}
