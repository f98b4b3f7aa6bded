import { Badge, Group, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import classes from "../home/Home.module.css";
import { Waiting } from "../shell/Waiting";
import { useTexts } from "../i18n/texts";
import { ProblemAlert } from "../shell/ProblemAlert";
import { rightsQuery } from "../api/access";
import { kindRightsQuery } from "./queries";

/** Who one is, and what one may do. */
export function You() {
  const t = useTexts();
  const self = useQuery(rightsQuery);
  const rights = useQuery(kindRightsQuery);
  if (self.isError || rights.isError) return <ProblemAlert error={self.error ?? rights.error} />;
  if (!self.data || !rights.data) return <Waiting rows={4} />;
  const { principal, groups = [], authenticated, expires, roles = [], protections = [] } = self.data;
  const words: Record<string, string> = { read: t("system.rightRead"), create: t("system.rightCreate"), update: t("system.rightUpdate"), delete: t("system.rightDelete"), act: t("system.rightAct"), use: t("system.rightUse") };
  return (
    <Table withRowBorders={false} verticalSpacing={5} horizontalSpacing="md">
      <Table.Tbody>
        <Row name={t("system.youAre")}>{principal === "" ? t("system.youAnyone") : <b style={{ overflowWrap: "anywhere" }}>{principal}</b>}</Row>
        {groups.length > 0 && <Row name={t("shell.groups")}>{groups.join(", ")}</Row>}
        {authenticated && <Row name={t("system.youSignedIn")}>{authenticated}{expires && ` · ${t("shell.signedInUntil")} ${new Date(expires).toLocaleString()}`}</Row>}
        {roles.length > 0 && (
          <Row name={t("system.roles")}>
            {roles.map(({ role, on = [] }) => (
              <div key={`${role} ${on.join(" ")}`}>
                {role} <Text span size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{on.length === 0 ? t("system.everywhere") : on.join(", ")}</Text>
              </div>
            ))}
          </Row>
        )}
        <Row name={t("system.youMay")}>
          <Group gap={6}>
            {Object.entries(rights.data).map(([right, kinds]) => (
              <Badge key={right} variant={kinds.length > 0 ? "light" : "outline"} color={kinds.length > 0 ? undefined : "gray"} c="var(--mantine-color-text)" tt="none" title={kinds.join(", ")}>
                {words[right] ?? right}: {kinds.length > 0 ? t("system.kindsOf", { n: kinds.length }) : t("system.nothing")}
              </Badge>
            ))}
          </Group>
        </Row>
        {protections.map(({ on, approvals, by = [], message }) => (
          <Row key={on.join(" ")} name={t("system.protectedFor")}>
            <Text size="sm" style={{ overflowWrap: "anywhere" }}>{on.join(", ")}</Text>
            <Text size="xs" c="dimmed" className={classes.rowText}>{t("system.protectionNeeds", { n: approvals })} {by.length > 0 && t("system.protectionBy", { who: by.join(", ") })} {message}</Text>
          </Row>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} style={{ verticalAlign: "top", whiteSpace: "nowrap" }}>{name}</Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}
