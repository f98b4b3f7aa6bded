import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Database } from "lucide-react";
import { useLanguage, useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { KindIcon } from "../shell/KindIcon";
import { KindName } from "../shell/KindName";
import { kindGroups, serviceTitle, system } from "../shell/kindgroups";
import { Panel } from "./Panel";
import { Waiting } from "../shell/Waiting";
import { Sparkline } from "./Sparkline";
import { countsByDay, weekQuery } from "./week";
import classes from "./Home.module.css";

/** How many documents there are of each kind, each a way to the table of them. */
export function KindTiles({ model, counts }: { model: Model; counts?: Record<string, number> }) {
  const t = useTexts();
  const { language } = useLanguage();
  const week = useQuery(weekQuery);
  const groups = kindGroups(model).filter(({ service }) => service !== system).map(({ service, kinds }) => ({ service, kinds: kinds.filter((kind) => (counts?.[kind.name] ?? 0) > 0) })).filter(({ kinds }) => kinds.length > 0);
  const total = groups.flatMap(({ kinds }) => kinds).reduce((sum, { name }) => sum + (counts?.[name] ?? 0), 0);
  return (
    <Panel title={t("common.documents")} icon={<Database size={16} aria-hidden />} aside={counts && <Text size="sm" c="dimmed">{total.toLocaleString(language)}</Text>}>
      {counts === undefined ? (
        <Waiting rows={6} />
      ) : (
        <Stack gap="md" className={classes.panelBody}>
          {groups.map(({ service, kinds }) => (
            <div key={service}>
              <Text size="xs" fw={600} c="dimmed" mb={6}>
                {serviceTitle(t, service)}
              </Text>
              <div className={classes.tiles}>
                {kinds.map(({ name }) => (
                  <Link key={name} to="/explorer" search={{ kind: name }} className={classes.tile} title={name}>
                    <span className={classes.tileName}>
                      <KindIcon kind={name} size={14} />
                      <span>
                        <KindName kind={name} />
                      </span>
                    </span>
                    <span className={classes.tileFoot}>
                      <span className={classes.number}>{(counts[name] ?? 0).toLocaleString(language)}</span>
                      {week.data && <Trend values={countsByDay(week.data.now, counts[name] ?? 0, name, week.data.items)} whole={week.data.whole} />}
                    </span>
                  </Link>
                ))}
              </div>
            </div>
          ))}
        </Stack>
      )}
    </Panel>
  );
}

/** How a number went in a week; nothing where it stayed. */
function Trend({ values, whole }: { values: number[]; whole: boolean }) {
  const t = useTexts();
  const change = (values.at(-1) ?? 0) - (values[0] ?? 0);
  if (values.every((value) => value === values[0])) return null;
  const text = change > 0 ? `+${change}` : String(change);
  return (
    <span className={classes.trend} title={whole ? t("home.inAWeek", { change: text }) : t("home.inLastTransactions", { change: text })}>
      <Sparkline values={values} /> {text}
    </span>
  );
}
