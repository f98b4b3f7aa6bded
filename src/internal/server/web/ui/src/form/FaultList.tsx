import { Alert, Stack, Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { DocumentLink } from "../shell/links";
import type { Fault } from "./faults";

/** What is wrong with a field, in the words of the server, with links to the documents that are in the way. */
export function FaultLines({ faults }: { faults: Fault[] }) {
  return faults.map((fault) => (
    <span key={`${fault.reason} ${fault.message}`} style={{ display: "block", overflowWrap: "anywhere" }}>
      <FaultText fault={fault} />
    </span>
  ));
}

function FaultText({ fault }: { fault: Fault }) {
  const t = useTexts();
  const holders = fault.blockedBy.map((id) => (
    <span key={id}>
      {" "}
      <DocumentLink id={id} aside />
    </span>
  ));
  if (fault.reason === "TAKEN" && holders.length > 0) return <>{t("form.takenBy")}{holders}</>;
  if (fault.reason === "NOT_UNIQUE" && holders.length > 0) return <>{t("form.notUnique")}{holders}</>;
  return (
    <>
      {fault.message}
      {fault.remedy && ` — ${fault.remedy}`}
    </>
  );
}

/** What is wrong with several fields together, or with the whole document. */
export function FaultList({ faults }: { faults: Fault[] }) {
  return (
    <Alert color="red" py="xs">
      <Stack gap={4}>
        {faults.map((fault) => (
          <Text key={`${fault.path.join("/")} ${fault.message}`} size="sm">
            <FaultText fault={fault} />
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
