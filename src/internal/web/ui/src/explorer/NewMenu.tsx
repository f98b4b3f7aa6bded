import { Button, Menu, Text } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";

/** Leads to the forms for the kinds that may be below a document, or at the top. */
export function NewMenu({ kinds, under, frozen }: { kinds: Kind[]; under: string; frozen?: Record<string, string> }) {
  const t = useTexts();
  const router = useRouter();
  if (kinds.length === 0) return null;
  const open = (kind: string) => void router.navigate({ to: "/explorer/new", search: under === "" ? { kind } : { under, kind } });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs">
          {t.newChild}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.name} disabled={frozen?.[kind.name] !== undefined} onClick={() => open(kind.name)}>
            {t.newOf(kind.name)}
            {frozen?.[kind.name] !== undefined && (
              <Text size="xs" maw={280}>
                {frozen?.[kind.name]}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
