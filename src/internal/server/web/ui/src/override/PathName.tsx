import { Fragment } from "react";
import { Breakable } from "./VirtualTable";
import type { Path } from "./rows";

/** The names on the way to a value, each whole, since names may have dots in them. */
export function PathName({ path }: { path: Path }) {
  return (
    <code>
      {path.map((name, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a name may stand twice on the way
        <Fragment key={i}>
          {i > 0 && " › "}
          <Breakable text={String(name)} />
        </Fragment>
      ))}
    </code>
  );
}
