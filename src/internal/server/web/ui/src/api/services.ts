import { queryOptions } from "@tanstack/react-query";
import { send } from "./client";

/** The services that need not run. */
export type ServiceName = "override" | "descriptor" | "layering" | "resolution" | "changeset";

/** The services that the server runs, with their kinds. One that the ref-schema turns off does not run. */
export const servicesQuery = queryOptions({
  queryKey: ["services"],
  queryFn: async () => {
    const { services } = (await (await send("GET", "/", { Accept: "application/json" })).json()) as { services: { name: string; kinds: string[]; off?: string }[] };
    return new Map(services.filter(({ off }) => off === undefined).map(({ name, kinds }) => [name, kinds]));
  },
  staleTime: 60_000,
});
