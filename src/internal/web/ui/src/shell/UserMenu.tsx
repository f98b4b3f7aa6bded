import { Avatar, Menu, Text, UnstyledButton } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { LogOut, UserRound } from "lucide-react";
import { send } from "../api/client";
import { token } from "../api/session";
import { useTexts } from "../i18n/texts";
import { signOut } from "../login/session";

/** Who the server says that one is. Without authentication the name is empty. */
interface Self {
  principal: string;
  groups?: string[];
  authenticated?: string; // how
  expires?: string;
}

export const selfQuery = queryOptions({
  queryKey: ["self"],
  queryFn: async () => (await (await send("GET", "/v2/access")).json()) as Self,
  staleTime: 60_000,
});

/** Who one is, and the way out. There is none where the server does not ask. */
export function UserMenu() {
  const t = useTexts();
  const self = useQuery(selfQuery).data;
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
