import { Button, Menu, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { kindsQuery } from "../api/access";
import { useTexts } from "../i18n/texts";
import type { Kind } from "../model/kinds";
import { useReadOnly } from "../view/moment";

/** Leads to the forms for the kinds that may be below a document, or at the top. */
export function NewMenu({ kinds, under, frozen }: { kinds: Kind[]; under: string; frozen?: Record<string, string> }) {
  const t = useTexts();
  const router = useRouter();
  const creatable = useQuery(kindsQuery).data?.create;
  const past = useReadOnly();
  const whyNot = (kind: string) => past ?? (creatable === undefined || creatable.has(kind) ? frozen?.[kind] : t("common.mayNotCreate"));
  if (kinds.length === 0) return null;
  const open = (kind: string) => void router.navigate({ to: "/explorer/new", search: under === "" ? { kind } : { under, kind } });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs">
          {t("explorer.newChild")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.name} disabled={whyNot(kind.name) !== undefined} onClick={() => open(kind.name)}>
            {t("common.newOf", { kind: kind.name })}
            {whyNot(kind.name) !== undefined && (
              <Text size="xs" maw={280}>
                {whyNot(kind.name)}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
