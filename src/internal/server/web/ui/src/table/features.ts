import { createSortedRowModel, rowSelectionFeature, rowSortingFeature, tableFeatures } from "@tanstack/react-table";

/** What the table of a kind can do. */
export const features = tableFeatures({ rowSortingFeature, rowSelectionFeature, sortedRowModel: createSortedRowModel() });

export type Features = typeof features;
