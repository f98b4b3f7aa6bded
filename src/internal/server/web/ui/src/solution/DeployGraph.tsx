import { VisuallyHidden } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import type { Mark, MarkedChunk } from "./descriptor";
import classes from "./DeployGraph.module.css";

interface Props {
  chunks: MarkedChunk[];
  label: string; // for those who cannot see it
}

/** The chunks from the first to the last, each with the applications that are deployed together. */
export function DeployGraph({ chunks, label }: Props) {
  const t = useTexts();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached with keys
    <section aria-label={label} className={classes.scroll} tabIndex={0}>
      <ol className={classes.chunks}>
        {chunks.map(({ name, mark, apps }, i) => (
          <li key={`${name} ${mark}`} className={classes.chunk} data-mark={mark}>
            <div className={classes.name}>
              {t("solution.chunk", { n: i + 1, name })} <InWords mark={mark} />
            </div>
            <ul className={classes.apps}>
              {apps.map((app) => (
                <li key={`${app.name} ${app.mark}`} data-mark={app.mark} className={classes.app}>
                  {app.name} <InWords mark={app.mark} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}

function InWords({ mark }: { mark: Mark }) {
  const t = useTexts();
  return mark === "same" ? null : <VisuallyHidden>{mark === "added" ? t("common.added") : t("common.removed")}</VisuallyHidden>;
}
