import { Button, Tooltip, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";

interface Props extends ButtonProps {
  reason?: string; // why it cannot be pressed
  onClick: () => void;
  children: ReactNode;
}

/** A button that says why it cannot be pressed. It keeps the focus then, so that the reason can be read with the keyboard, too. */
export function ReasonButton({ reason, onClick, ...button }: Props) {
  if (reason === undefined) return <Button {...button} onClick={onClick} />;
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }} multiline maw={360} withinPortal={false}>
      <Button {...button} data-disabled aria-disabled aria-description={reason} onClick={(event) => event.preventDefault()} />
    </Tooltip>
  );
}
