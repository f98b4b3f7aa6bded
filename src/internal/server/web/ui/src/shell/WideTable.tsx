import { Table, type TableProps } from "@mantine/core";

/** A table that scrolls by itself where the window is narrower than it can be read, so that the page does not. */
export function WideTable({ minWidth = 560, ...props }: TableProps & { minWidth?: number }) {
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0}>
      <Table {...props} />
    </Table.ScrollContainer>
  );
}
