import { useInterval } from "@mantine/hooks";
import { useState } from "react";
import { useLanguage } from "../i18n/texts";

const units = [["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1]] as const;

/** How long ago something was, as it is said, with the time itself on hover. */
export function Ago({ time }: { time: string }) {
  const { language } = useLanguage();
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 5_000, { autoInvoke: true });
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1_000));
  const [unit, size] = units.find(([, least]) => seconds >= least) ?? ["second", 1];
  return (
    <time dateTime={time} title={new Date(time).toLocaleString(language)}>
      {new Intl.RelativeTimeFormat(language, { style: "short" }).format(-Math.floor(seconds / size), unit)}
    </time>
  );
}
