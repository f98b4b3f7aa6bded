import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { BellRing, CircleCheck } from "lucide-react";
import { modelQuery } from "../api/queries";
import { servicesQuery } from "../api/services";
import { useTexts } from "../i18n/texts";
import { shortName } from "../model/ids";
import { PageLink } from "../shell/links";
import { DefectRow, defectsPanelId } from "./Defects";
import { defectsQuery } from "./scrub";
import { expiredQuery } from "./expired";
import { Nothing, Panel } from "./Panel";
import { Waiting } from "../shell/Waiting";
import { failedValidationsQuery, gitPanelId, healthQuery, unsolvedQuery, type GitState } from "./queries";
import classes from "./Home.module.css";

/** How many expired environments are listed. */
const mostExpired = 5;

/** How many failed validations are listed. */
const mostFailed = 5;

/** How many documents with defects are listed. */
const mostDefects = 5;

/** What somebody should look at: checks of the server that are not fine, documents that a scrub found fault with, findings in Git, expired environments, constraints without a solution, failed validations of layered documents. */
export function Attention({ git }: { git?: GitState[] }) {
  const t = useTexts();
  const health = useQuery(healthQuery);
  const services = useQuery(servicesQuery).data;
  const resolves = services?.has("resolution") === true;
  const unsolved = useQuery({ ...unsolvedQuery, enabled: resolves });
  const failed = useQuery({ ...failedValidationsQuery, enabled: services?.has("layering") === true }).data;
  const { expired = [], partial = false } = useQuery({ ...expiredQuery, enabled: useQuery(modelQuery).data?.kind("environment") !== undefined }).data ?? {};
  const failing = useQuery(defectsQuery).data?.documents ?? [];
  const checks = health.data?.checks.filter(({ status }) => status !== "ok") ?? [];
  const defective = git?.filter(({ defects }) => defects.total > 0) ?? [];
  const nothing = checks.length === 0 && failing.length === 0 && defective.length === 0 && (unsolved.data?.length ?? 0) === 0 && expired.length === 0 && (failed?.count ?? 0) === 0 && !health.isError;
  return (
    <Panel title={t("home.needsAttention")} icon={<BellRing size={16} aria-hidden />}>
      {health.isPending ? (
        <Waiting rows={2} />
      ) : nothing ? (
        <Nothing>
          <CircleCheck size={14} aria-hidden style={{ verticalAlign: "-2px" }} /> {t("home.nothingWrong")}
        </Nothing>
      ) : (
        <ul className={classes.rows}>
          {health.isError && <Row status="failed" title={t("home.serverSilent")} text={t("home.serverSilentText")} />}
          {checks.map(({ name, status, detail }) => (
            <Row key={name} status={status} title={name} text={detail} />
          ))}
          {failing.slice(0, mostDefects).map((defect) => (
            <DefectRow key={defect.id} defect={defect} />
          ))}
          {failing.length > mostDefects && (
            <li>
              <span className={classes.dot} data-status="failed" />
              <PageLink to="/system" hash={defectsPanelId} size="sm">
                {t("home.moreDefects", { n: failing.length - mostDefects })}
              </PageLink>
            </li>
          )}
          {defective.map(({ name, defects }) => (
            <li key={name}>
              <span className={classes.dot} data-status="degraded" />
              <span className={classes.rowText}>
                <Anchor href={`#${gitPanelId(name)}`} size="sm">
                  {[name, t("home.gitFindings", { n: defects.total })].filter(Boolean).join(": ")}
                </Anchor>
              </span>
            </li>
          ))}
          {expired.slice(0, mostExpired).map(({ id, day }) => (
            <li key={id}>
              <span className={classes.dot} data-status="degraded" />
              <span className={classes.rowText}>
                <PageLink to="/explorer" search={{ id }} size="sm">
                  {shortName(id, "")}
                </PageLink>
                <Text size="xs" c="dimmed">
                  {t("home.environmentExpired", { day })}
                </Text>
              </span>
            </li>
          ))}
          {expired.length > mostExpired && <Row status="degraded" title={t(partial ? "home.atLeastMoreExpired" : "home.moreExpired", { n: expired.length - mostExpired })} />}
          {failed?.results.slice(0, mostFailed).map(({ name, reported, messages }) => (
            <li key={`validation ${name}`}>
              <span className={classes.dot} data-status="failed" />
              <span className={classes.rowText}>
                <PageLink to="/layering" search={{ revision: String(failed.revision) }} size="sm">
                  {t("home.validationFailed", { name, revision: String(failed.revision) })}
                </PageLink>
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {reported ? messages[0] : t("home.neverReported")}
                </Text>
              </span>
            </li>
          ))}
          {failed && failed.count > mostFailed && <Row status="failed" title={t("home.moreFailed", { n: failed.count - mostFailed })} />}
          {unsolved.data?.map(({ name, message }) => (
            <li key={name}>
              <span className={classes.dot} data-status="failed" />
              <span className={classes.rowText}>
                <PageLink to="/resolutions" search={{ name }} size="sm">
                  {name}
                </PageLink>
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {message}
                </Text>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Row({ status, title, text }: { status: string; title: string; text?: string }) {
  return (
    <li>
      <span className={classes.dot} data-status={status} />
      <span className={classes.rowText}>
        {title}
        {text && (
          <Text size="xs" c="dimmed">
            {text}
          </Text>
        )}
      </span>
    </li>
  );
}
