import { Alert } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { useTexts } from "../i18n/texts";
import { connection } from "./watch";

/** Says on every page that follows changes that the server does not answer. */
export function ConnectionNote() {
  const t = useTexts();
  const lost = useSyncExternalStore(connection.subscribe, connection.lost);
  if (!lost) return undefined;
  return (
    <Alert color="yellow" role="status" p="xs" pos="fixed" bottom={12} left={12} right={12} maw={640} mx="auto" style={{ zIndex: 150 }}>
      {t("live.connectionLost")}
    </Alert>
  );
}
