import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./problem";

/** What is read, for as long as the page stays in one view. An answer of the server is not asked for again; a connection that broke is, twice. */
export function newCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: (count, error) => !(error instanceof ApiError) && count < 2, refetchOnWindowFocus: false, staleTime: 5_000 },
    },
  });
}
