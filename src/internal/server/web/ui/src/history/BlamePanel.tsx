import { Box, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { blameQuery } from "./blamequery";
import { keyOf, revisionOf } from "./choice";
import type { Version } from "./queries";
import classes from "./Blame.module.css";

interface Props {
  id: string;
  path: string;
}

/** The lines of a document, each with the version that set it, who made that, when and why. */
export function BlamePanel({ id, path }: Props) {
  const t = useTexts();
  const { data, error, isError } = useQuery(blameQuery(path));
  if (isError && !data) return <ProblemAlert error={error} />;
  if (!data) return <Text role="status">{t("common.loading")}</Text>;
  return (
    <>
      {data.cut && <Text role="status">{t("history.blameCut", { n: data.versions.length })}</Text>}
      <Box className={classes.scroller} tabIndex={0} role="group" aria-label={t("history.byLines")}>
        <ol className={classes.blocks} aria-label={t("history.blameOf", { id })}>
          {data.blocks.map(({ version, first, lines }) => (
            <li key={first} className={classes.block}>
              <SetBy id={id} version={data.versions[version]} />
              <pre className={classes.numbers} aria-hidden>
                {lines.map((_, i) => first + i).join("\n")}
              </pre>
              <pre className={classes.lines}>
                {lines.join("\n")}
              </pre>
            </li>
          ))}
        </ol>
      </Box>
    </>
  );
}

/** The version that set some lines, which leads to what else it changed. */
function SetBy({ id, version }: { id: string; version?: Version }) {
  const t = useTexts();
  if (!version) return <div className={classes.version}>{t("history.beforeHistory")}</div>;
  return (
    <div className={classes.version}>
      <PageLink to="/explorer" search={{ id, tab: "history", at: keyOf(version) }} size="xs" underline="always">
        {t("common.revision")} {revisionOf(version)}
      </PageLink>{" "}
      <span>
        {version.time === undefined ? t("history.beforeHistory") : <When time={version.time} />} · {version.principal ?? t("common.unknownUser")}
      </span>
      {version.message && (
        <span className={classes.message} title={version.message}>
          {version.message}
        </span>
      )}
    </div>
  );
}
