import { Skeleton } from "@mantine/core";
import { Suspense, lazy, type ComponentProps } from "react";

const Editor = lazy(() => import("./Editor"));
const Diff = lazy(() => import("./Diff"));

/** The editor, loaded when the first one is shown. */
export function YamlEditor(props: ComponentProps<typeof Editor>) {
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <Editor {...props} />
    </Suspense>
  );
}

/** The comparison of two texts, loaded when the first one is shown. */
export function YamlDiff(props: ComponentProps<typeof Diff>) {
  return (
    <Suspense fallback={<Skeleton height={200} />}>
      <Diff {...props} />
    </Suspense>
  );
}
