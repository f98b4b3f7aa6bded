import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { serverNow } from "../api/clock";
import { useLanguage } from "../i18n/texts";

const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;

/** From what age on a time is written as a date. */
const old = 30 * 86_400;

/** How long ago something was, as it is said, with the time itself on hover; a date where that was long ago. */
export function When({ time }: { time: string }) {
  const { language } = useLanguage();
  const [now, setNow] = useState(serverNow);
  useInterval(() => setNow(serverNow()), 5_000, { autoInvoke: true });
  return (
    <time dateTime={time} title={new Date(time).toLocaleString(language)} style={{ whiteSpace: "nowrap" }}>
      {ago(time, now, language)}
    </time>
  );
}

/** How long before now a time is. */
export function ago(time: string, now: number, language: string): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1_000));
  if (seconds >= old) return new Date(time).toLocaleDateString(language);
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { style: "short" }).format(-Math.floor(seconds / size), unit);
}
