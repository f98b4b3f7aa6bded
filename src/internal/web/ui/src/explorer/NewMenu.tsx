import { Button, Menu } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";

/** Leads to the forms for the kinds that may be below a document, or at the top. */
export function NewMenu({ kinds, under }: { kinds: Kind[]; under: string }) {
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
          <Menu.Item key={kind.name} onClick={() => open(kind.name)}>
            {t.newOf(kind.name)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
