import { Fragment } from "react";

/** The name of a kind, which breaks between its words where it is too long for a line. */
export function KindName({ kind }: { kind: string }) {
  const words = kind.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=\.)/);
  return words.map((word, i) => (
    <Fragment key={words.slice(0, i).join("")}>
      {i > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}
