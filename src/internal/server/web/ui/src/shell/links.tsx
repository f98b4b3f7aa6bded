import { Anchor, Button, type AnchorProps, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";

type Attributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "color" | "style">;

function PageAnchor(props: AnchorProps & Attributes) {
  return <Anchor {...props} />;
}

function PageButton(props: ButtonProps & Attributes) {
  return <Button component="a" {...props} />;
}

/** A link within the page. */
export const PageLink = createLink(PageAnchor);

/** A button that leads within the page. */
export const ButtonLink = createLink(PageButton);

/** A link to a document in the explorer, shown as its id. One aside opens another window, so that what is being written stays. */
export function DocumentLink({ id, aside = false }: { id: string; aside?: boolean }) {
  const look = aside ? ({ target: "_blank", underline: "always", fz: "inherit", c: "inherit" } as const) : {};
  return (
    <PageLink to="/explorer" search={{ id }} {...look} style={{ overflowWrap: "anywhere" }}>
      {id}
    </PageLink>
  );
}
