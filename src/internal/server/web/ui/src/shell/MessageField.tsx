import { TextInput } from "@mantine/core";
import { useTexts } from "../i18n/texts";

/** Fewer characters than the server takes bytes, which are at most three a character. */
const maxLength = 1000;

/** Asks why something is written. It may be left empty. */
export function MessageField({ value, onChange }: { value: string; onChange: (message: string) => void }) {
  const t = useTexts();
  return <TextInput label={t("common.message")} description={t("shell.messageHint")} value={value} maxLength={maxLength} onChange={(event) => onChange(event.currentTarget.value)} />;
}
