import { Badge, Button, Text } from "@mantine/core";
import { FolderGit2 } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { Commit } from "../shell/Commit";
import { When } from "../shell/When";
import { Nothing, Panel } from "./Panel";
import { gitPanelId, type GitState } from "./queries";
import classes from "./Home.module.css";

/** How many findings are listed at first. */
const few = 5;

/** The commit that the store follows, and what is wrong in the repository, with its places. */
export function GitPanel({ git }: { git: GitState }) {
  const t = useTexts();
  const [all, setAll] = useState(false);
  const { total, first } = git.defects;
  const findings = first ?? [];
  return (
    <div id={gitPanelId(git.name)}>
      <Panel title={git.name ? t("home.instanceRepositoryNamed", { name: git.name }) : t("home.instanceRepository")} icon={<FolderGit2 size={16} aria-hidden />} aside={total > 0 && <Badge color="yellow" variant="light" c="var(--mantine-color-text)" tt="none">{t("common.findings", { n: total })}</Badge>}>
        <Text size="sm" className={classes.panelBody}>
          {git.head ? (
            <>
              {t("home.followsCommit")} <Commit hash={git.head} /> · <When time={git.updated} />
            </>
          ) : (
            t("home.notFollowedYet")
          )}
        </Text>
        {findings.length === 0 ? (
          <Nothing>{t("home.noFindings")}</Nothing>
        ) : (
          <ol className={classes.rows} aria-label={t("common.findings", { n: total })} style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
            {(all ? findings : findings.slice(0, few)).map(({ file, line, column, message, remedy, path }) => (
              <li key={`${file} ${line} ${column} ${path} ${message}`}>
                <span className={classes.dot} data-status="degraded" />
                <span className={classes.rowText}>
                  {message}
                  {remedy && <Text size="xs">{remedy}</Text>}
                  <Text size="xs" c="dimmed" ff="monospace">
                    {[file, line, column].filter(Boolean).join(":")} {path}
                  </Text>
                </span>
              </li>
            ))}
          </ol>
        )}
        {!all && findings.length > few && (
          <div className={classes.panelBody}>
            <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
              {t("common.showAll", { n: findings.length })}
            </Button>
          </div>
        )}
        {all && total > findings.length && <Nothing>{t("common.andMore", { n: total - findings.length })}</Nothing>}
      </Panel>
    </div>
  );
}
