import { Skeleton, Stack } from "@mantine/core";
import { useTexts } from "../i18n/texts";

/** Takes the place of what is loaded, so that nothing jumps when it comes. */
export function Waiting({ rows }: { rows: number }) {
  const t = useTexts();
  return (
    <Stack gap={10} px="md" py="sm" role="status" aria-label={t("common.loading")}>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={14} width={`${90 - ((i * 17) % 40)}%`} radius="sm" />
      ))}
    </Stack>
  );
}
