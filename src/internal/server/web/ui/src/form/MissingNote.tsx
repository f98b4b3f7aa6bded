import { Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { pathText } from "../model/paths";
import type { Missing } from "./missing";

/** Says what is required and not there yet. */
export function MissingNote({ missing }: { missing: Missing[] }) {
  const t = useTexts();
  return (
    <div role="status">
      {missing.length > 0 && (
        <Text size="sm">
          {t("form.stillMissing")}{" "}
          {missing.map(({ path, least }, i) => (
            <span key={pathText(path)}>
              {i > 0 && ", "}
              <code>{pathText(path)}</code>
              {least !== undefined && ` (${t("form.atLeast", { n: least })})`}
            </span>
          ))}
        </Text>
      )}
    </div>
  );
}
