import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { When } from "../shell/When";
import { defectsQuery, type Defect } from "./scrub";
import { Nothing, Panel } from "./Panel";
import { Waiting } from "../shell/Waiting";
import classes from "./Home.module.css";

/** How many documents are listed at first. */
const few = 5;

/** The id of the panel, to which Home leads. */
export const defectsPanelId = "scrub";

/** The documents that do not pass their schema or rules, or refer to nothing, as the last scrub found them. */
export function DefectsPanel() {
  const t = useTexts();
  const { data, error } = useQuery(defectsQuery);
  const [all, setAll] = useState(false);
  return (
    <div id={defectsPanelId}>
      <Panel title={t("home.scrub")} icon={<ShieldAlert size={16} aria-hidden />}>
        {error ? (
          <ProblemAlert error={error} />
        ) : data === undefined ? (
          <Waiting rows={1} />
        ) : (
          <>
            <Text size="sm" className={classes.panelBody} c="dimmed">
              {data.scrubbed === undefined ? t("home.notScrubbed") : data.documents.length === 0 ? t("home.scrubbedFine") : t("home.scrubbedFound", { n: data.documents.length })}
              {data.scrubbed !== undefined && <> · <When time={data.scrubbed} /></>}
            </Text>
            {data.documents.length > 0 && (
              <ul className={classes.rows} style={{ borderTop: "1px solid var(--mantine-color-default-border)" }}>
                {(all ? data.documents : data.documents.slice(0, few)).map((defect) => <DefectRow key={defect.id} defect={defect} />)}
              </ul>
            )}
            {!all && data.documents.length > few && (
              <div className={classes.panelBody}>
                <Button variant="default" size="compact-sm" onClick={() => setAll(true)}>
                  {t("common.showAll", { n: data.documents.length })}
                </Button>
              </div>
            )}
            {data.partial && <Nothing>{t("home.scrubPartial")}</Nothing>}
          </>
        )}
      </Panel>
    </div>
  );
}

/** A document with what is wrong with it, which leads to it. */
export function DefectRow({ defect: { id, messages } }: { defect: Defect }) {
  const t = useTexts();
  return (
    <li>
      <span className={classes.dot} data-status="failed" />
      <span className={classes.rowText}>
        {id === "" ? (
          t("home.damagedIndex")
        ) : (
          <PageLink to="/explorer" search={{ id }} size="sm">
            {id}
          </PageLink>
        )}
        {messages.map((message) => (
          <Text key={message} size="xs" c="dimmed">
            {message}
          </Text>
        ))}
      </span>
    </li>
  );
}
