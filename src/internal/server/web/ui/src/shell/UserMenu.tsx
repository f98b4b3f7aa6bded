import { Avatar, Menu, Text, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { LogOut, UserRound } from "lucide-react";
import { rightsQuery } from "../api/access";
import { token } from "../api/session";
import { useTexts } from "../i18n/texts";
import { signOut } from "../login/session";

/** Who one is, and the way out. There is none where the server does not ask. */
export function UserMenu() {
  const t = useTexts();
  const self = useQuery(rightsQuery).data;
  if (self === undefined || self.principal === "") return null;
  return (
    <Menu position="bottom-end" width={280} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton aria-label={t("shell.userIs", { name: self.principal })} title={self.principal}>
          <Avatar size={30} radius="xl" color="brand" variant="filled" aria-hidden>
            <UserRound size={16} />
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label c="var(--mantine-color-text)">
          <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
            {self.principal}
          </Text>
          {(self.groups?.length ?? 0) > 0 && (
            <Text size="xs">
              {t("shell.groups")}: {self.groups?.join(", ")}
            </Text>
          )}
          {self.expires && <Text size="xs">{t("shell.signedInUntil")} <time dateTime={self.expires}>{new Date(self.expires).toLocaleTimeString()}</time></Text>}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} disabled={token() === ""} onClick={signOut}>
          {t("shell.signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
