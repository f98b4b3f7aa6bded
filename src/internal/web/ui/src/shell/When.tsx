import { useLanguage } from "../i18n/texts";

/** A time as it is written where the user is. */
export function When({ time }: { time: string }) {
  const { language } = useLanguage();
  return <time dateTime={time}>{new Date(time).toLocaleString(language)}</time>;
}
