import type { Open } from "./hub";

/** Opens a stream of the server. */
export const openStream: Open = async (address, token, after, signal) => {
  const headers: Record<string, string> = { ...(token !== "" && { Authorization: `Bearer ${token}` }), ...(after !== "" && { "Last-Event-ID": after }) };
  const response = await fetch(address === "/v2/watch" ? address : `${address}?watch=true`, { headers, signal });
  if (response.ok && response.body) return response.body;
  await response.body?.cancel();
  return response.status;
};
