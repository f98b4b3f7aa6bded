import { Group, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/texts";

interface Props {
  title: string;
  size?: string;
  onClose?: () => void; // without it, the dialog stays until it has its answer, and what is behind it cannot be read
  children: ReactNode;
}

const stay = () => undefined;

/** A dialog over the page. Its heading is no landmark, as that of Mantine's own would be, since the page has a banner. */
export function Dialog({ title, size = "lg", onClose, children }: Props) {
  const t = useTexts();
  return (
    <Modal.Root opened onClose={onClose ?? stay} size={size} closeOnEscape={onClose !== undefined} closeOnClickOutside={onClose !== undefined}>
      <Modal.Overlay {...(onClose === undefined && { blur: 14, backgroundOpacity: 0.75 })} />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" p="md">
          <Modal.Title fw={700}>{title}</Modal.Title>
          {onClose && <Modal.CloseButton aria-label={t("common.close")} />}
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
