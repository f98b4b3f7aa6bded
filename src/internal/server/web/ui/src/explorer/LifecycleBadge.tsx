import { Badge } from "@mantine/core";

/** The state of a document. States are the words of the ref-schema. */
export function LifecycleBadge({ state }: { state: string }) {
  return (
    <Badge variant="outline" tt="none" radius="sm" c="var(--mantine-color-text)" maw={280}>
      {state}
    </Badge>
  );
}
